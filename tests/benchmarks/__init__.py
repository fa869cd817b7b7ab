"""Measurements that take their time; run by hand, each as a module."""
