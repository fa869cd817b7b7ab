"""The rules of HF tokenizers (0.23): what a tokenizer.json asks for, done as that library does it.

    text -> added tokens -> normalizers -> pre-tokenizers -> stretches -> best path of each -> post-processor
    IDs -> pieces -> decoders -> text

Every step is a frozen value made from its JSON; texts go through as `AlignedText`, which keeps the way back to the
original. The steps know nothing of vocabularies; `encoder` puts them and a vocabulary together.
"""
