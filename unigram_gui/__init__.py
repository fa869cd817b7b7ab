"""The window of Unigram GUI: `session` owns the state, `tasks` do slow work, `views` show frozen values.

Data flows one way. A person's act leaves a view as a wish (`*_requested`), the session changes its state and
says so in the past tense (`*_changed`), and the views are given the new values to show.
"""
