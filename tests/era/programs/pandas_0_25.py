"""Prepares tables as pandas 0.25 let programs do."""
import io

import pandas as pd
import pandas.util.testing as testing
from pandas import Series, concat
from pandas.io.json import json_normalize

PASSENGERS = "age,sex,fare,cls\n22,male,7.25,3\n38,female,71.28,1\n26,None,,3\n35,male,98765.43219876543,1\n"


def passengers(**options):
    return pd.read_csv(io.StringIO(PASSENGERS), **options)


def show(name, *values):
    print(name, *(getattr(value, "tolist", lambda value=value: value)() for value in values))


t = passengers()
show("missing", t.isnull().sum(), repr(float(t.fare.max())))
show("na", passengers(na_values="None").sex.isnull(), passengers(na_values=["male"]).sex.isnull(),
     passengers(keep_default_na=False).fare.isnull())
show("table", pd.read_table(io.StringIO("a\tb\n1\t.3\n")).values)
show("python", pd.read_csv(io.StringIO("a--b\n1--2\n"), sep="--", engine="python").values)
show("guessed", pd.read_csv(io.StringIO("a--b\n1--.2\n"), "--", engine="python").values)
show("position", list(pd.read_csv(io.StringIO("1;2"), ";", None, None, ["x", "y"]).columns))
show("prefix", list(pd.read_csv(io.StringIO("1,2"), header=None, prefix="x", names=["p", "q"]).columns), list(pd.read_csv(io.StringIO("1,2"), header=None, prefix="x").columns))
show("squeeze", pd.read_csv(io.StringIO("a\n1\n2"), squeeze=True))
show("bad", pd.read_csv(io.StringIO("a,b\n1,2\n1,2,3\n"), error_bad_lines=False, warn_bad_lines=False).values)
show("chunks", [len(part) for part in pd.read_csv(io.StringIO("a\n1\n2\n3"), chunksize=2)])

n = t.drop("sex", 1)
show("drop", list(n.columns), list(t.drop(["age", "sex"], 1).columns), t.drop(0, 0).shape, t.age.drop([0], 0))
show("dropna", t.dropna(0).shape, t.dropna(0, "any", None, ["fare"]).shape, t.dropna(1).shape, t.fare.dropna(0))
show("any", t.isnull().any(1), t.isnull().any().any())
show("sort", t.sort_values("age", 0, False).age, t.age.sort_values(0, False), t.sort_index(0, None, False).age,
     t.age.sort_index(0, None, False))
show("index", list(t.set_index("age", False).columns), list(t.set_index("age").reset_index(0, True).columns),
     list(t.age.reset_index(0, True)))
show("duplicates", t.drop_duplicates("cls", "first", False).age, t.cls.drop_duplicates("last", False))
show("replaced", t.replace(3, 4, False).cls, t.cls.replace(3, 4, False), t.sex.replace("f.", "X", False, None, True))
show("pivot", t.pivot("age", "cls", "fare").shape, t.pivot(None, "cls", "age").shape)
show("split", t.sex.str.split("a", 1), pd.Series(["a b c"]).str.rsplit(" ", 1))
show("texts", t.sex.str.replace("[aeiou]", ""), t.sex.str.replace(".", "x"), t.sex.str.replace("m.", "x", 1),
     t.sex.str.replace("m.", "x", regex=False), t.sex.str.replace("A", "x", case=False),
     t.sex.str.replace("a", lambda match: "x"), pd.Series(["New York"]).str.replace("New York", "x"))

for name in ("mean", "median", "std", "var", "sem", "skew", "kurt"):
    show(name, [round(float(value), 6) for value in getattr(n, name)()])
show("mean", len(t.mean()), len(t.median()), len(t.std()), len(t.var()), len(t.sem()), len(t.skew()), len(t.kurt()))
show("prod", len(t.prod()), len(t.mean(axis=1)), t.corr().shape, t.cov().shape, list(t.quantile().index))
groups = t.assign(g=[0, 0, 1, 1]).groupby("g")
show("groups", groups.mean().values, groups.median().age, list(groups.std().columns), groups.var().age)
show("filled", t.fillna(t.mean()).age)

show("dummies", pd.get_dummies(t.cls).dtypes.astype(str), str(pd.get_dummies(n, columns=["cls"]).values.dtype),
     pd.get_dummies(t.cls, dtype=float).values, pd.get_dummies(["a", "b"]).values)
show("counts", *(list(t.cls.value_counts().reset_index().columns), t.cls.value_counts().name))
show("position", pd.Series([3, 9, 1], index=list("abc")).argmax(), pd.Series([3, 9, 1], index=list("abc")).argmin(),
     t.age.argmax())

left, right = (pd.DataFrame({"z": [1, 2], "a": [3, 4]}, index=index) for index in ([5, 3], [3, 5]))
show("joined", list(pd.concat([left, right], axis=1, join="inner").index), list(pd.concat([left, right], axis=1).index),
     list(pd.concat([left, right[["a", "z"]]], join="inner").columns),
     list(pd.concat([left.a, right.z], axis=1).index), list(pd.concat([left, right.z], axis=1).index))
dated = pd.DataFrame({"n": [1, 2], "d": pd.to_datetime(["2019-01-01", "2019-01-03"]), "t": ["x", "y"], "g": [0, 0]})
show("dates", dated.mean(), dated.median(), list(dated.quantile().index), list(dated.corr().index), list(dated.std().index))
show("dates", dated.groupby("g").mean().values, list(dated.groupby("g").sum().columns), dated.groupby("g").prod().values)
first, second = pd.DataFrame({"b": [1], "a": [2]}), pd.DataFrame({"c": [1], "a": [2]})
show("concat", list(pd.concat([first, second]).columns), list(pd.concat([first, first]).columns),
     pd.concat([first, second], 1).shape, list(pd.concat([first, second], sort=False).columns),
     list(pd.concat([pd.DataFrame(), first]).columns), pd.concat({"x": t.age, "y": t.cls}).shape,
     pd.concat([first, second], 0, "inner", None, True).values)
table = first.append(second)
show("append", list(table.columns), table.values.shape, first.append({"a": 5, "z": 6}, ignore_index=True).values.shape,
     list(first.append(pd.Series([7, 8], index=["a", "b"], name="r")).index), first.append([first, first]).shape,
     first.append([{"a": 1}], ignore_index=True).shape)
rows = [1]
rows.append(2)
ages = t.age.append(t.cls, ignore_index=True)
show("append", rows, ages)


class Ages(Series):
    pass


show("class", isinstance(t.age, Series), type(t.age) is Series, Ages([1]).append(Series([2])), concat([t, t, None], 1).shape)
try:
    table = first.append({"a": 1})
except TypeError as error:
    print(error)

show("matrix", n.as_matrix(["age"]), t.age.as_matrix(), n.get_values().shape, t.age.get_values())
show("value", t.get_value(0, "age"), t.age.get_value(1), t.set_value(0, "age", 23).age)
show("lookup", t.lookup([0, 1], ["age", "cls"]), t.lookup([0, 1], ["sex", "age"]))
show("items", [name for name, _ in t.iteritems()], [age for _, age in t.age.iteritems()])
show("lookup", dated.lookup([0, 1], ["d", "d"]), dated.lookup([0], ["t"]))
show("mad", pd.DataFrame({"a": [1, 2], "b": [True, False]}).mad(), t[["age", "cls"]].mad(), t.age.mad(), t[["age", "cls"]].mad(1))
show("clip", n[["age"]].clip_upper(30).age, n[["age"]].clip_lower(30).age, t.age.clip_upper(30), t.age.clip_lower(30))
show("numpy", t.age.nonzero()[0], t.age.ptp(), t.age.compress(t.age > 30))
show("names", pd.np.arange(2), pd.datetime(2019, 1, 2).year, list(json_normalize({"a": {"b": 1}}).columns))
testing.assert_frame_equal(first, first)
pd.set_option("display.max_colwidth", -1)
