"""The parts of benchmarks/corpus.py: checks of the codemod's output that share no code with the codemod."""
