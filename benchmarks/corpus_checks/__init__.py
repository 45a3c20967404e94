"""What benchmarks/corpus.py is made of: checks of the codemod's output that share nothing with the codemod."""
