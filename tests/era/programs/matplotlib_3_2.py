"""Sets LaTeX's preamble as a list of lines, as programs for matplotlib 3.2 did."""
import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt

lines = [r"\usepackage{a}", r"\usepackage{b}"]
mpl.rcParams.update({"pgf.texsystem": "pdflatex", "pgf.preamble": lines})
print(repr(mpl.rcParams["pgf.preamble"]))
plt.rcParams["text.latex.preamble"] = lines + [r"\usepackage{c}"]
print(repr(mpl.rcParams["text.latex.preamble"]))
plt.rc("text.latex", preamble=list(lines))
print(repr(mpl.rcParams["text.latex.preamble"]))
plt.rc("text", **{"latex.preamble": r"\usepackage{d}"})
print(repr(mpl.rcParams["text.latex.preamble"]))
print({"preamble": None}, {"a": ["preamble"]})
