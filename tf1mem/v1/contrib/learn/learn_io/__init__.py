"""contrib.learn's ways in for data: arrays, data frames, generators, files of examples."""
