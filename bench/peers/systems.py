"""The systems of the comparison by name. Everything that is said about them is said here."""

from __future__ import annotations

from typing import Any

from peers.peer import Peer

VEST = "Park, Jang and Sael, VeST: very sparse Tucker factorization of large-scale tensors"
GIVEN = "the ranks given, as to every Tucker method"
AS_ZERO = "missing cells are 0, which the VeST paper says of Tucker-ALS alone"
# Without a penalty, the rank is all that keeps it from overfitting.
STOCHASTIC = {
    "rank": {"try": [1, 2, 4, 8]},
    "max_iter": 20,
    "epoch_iter": 50,
    "batch": 4000,
    "rate": 0.02,
    "max_fails": 10,
}
# What the tests of a system in tests/python/peers hold it to.
PLANTED = "it is the published package, and recovers a planted truth"
KERNELS = "its kernels are held to NumPy written from the equations"
DIRECT = f"predicts what a direct call predicts; {KERNELS}"
RATINGS = {"unseen": "zero", "lam": 5.0, "max_iter": 100}


def _vest(title: str, penalty: str, sparsity: float | str, lasso: bool = False) -> Peer:
    departs = 'nothing: preset="paper"; a row without entries predicts 0'
    settings = {"preset": "paper", "penalty": penalty, "sparsity": sparsity, **RATINGS}
    checked = f"recovers a planted component, and prunes nothing; {KERNELS}" if lasso else DIRECT
    return Peer(
        title, "paper" if lasso else "ours", "peers.ours.vest", VEST, GIVEN, departs, checked,
        ("vest_tucker",), settings, curves=True,
    )  # fmt: skip


def _value_pruning(title: str, penalty: str) -> Peer:
    settings = {"preset": "paper", "penalty": penalty, "ratio": 0.6, "standardize": False}
    return Peer(
        title, "paper", "peers.ours.value_pruning", VEST, "the same fit as VeST with s = 0",
        "the paper does not say whether columns are scaled first: they are not",
        "predicts what a direct fit does without its smallest elements",
        ("vest_tucker",), {**settings, "lam": 5.0, "max_iter": 100},
    )  # fmt: skip


def _baseline(title: str, kind: str, departs: str, checked: str) -> Peer:
    return Peer(
        title, "ours", "peers.ours.baseline", "what every model has to beat",
        "sees the same entries", departs, checked, ("vest_tucker",), {"kind": kind},
    )  # fmt: skip


def _smurff(title: str, prior: str, departs: str, checked: str, settings: dict[str, Any]) -> Peer:
    return Peer(
        title, "user", "peers.published.smurff",
        "Vander Aa, Chakroun and Haber, SMURFF, 2019; Simm et al., Macau, 2017",
        "is_scarce=True: observed entries only; the mean is taken off",
        departs, checked, ("smurff",),
        {"rank": 8, "burnin": 100, "samples": 200, "prior": prior, **settings},
        centre=True, curves=True,
    )  # fmt: skip


def _surprise(
    title: str, module: str, reference: str, checked: str, settings: dict[str, Any]
) -> Peer:
    return Peer(
        title, "user", module, reference, "observed entries only; clipping to the scale is off",
        "knows the two longest modes only", checked, ("surprise",), settings, modes=2,
        curves=module.endswith("svd"),
    )  # fmt: skip


def _boosting(title: str, encoding: str, departs: str) -> Peer:
    return Peer(
        title, "user", "peers.published.boosting",
        "scikit-learn's HistGradientBoostingRegressor; Ke et al., LightGBM, 2017",
        "observed entries only, the coordinates as features", departs,
        "it is the published package, and learns steps that were planted", ("sklearn",),
        {"encoding": encoding, "max_iter": 100, "learning_rate": 0.1, "min_samples_leaf": 5},
        curves=True,
    )  # fmt: skip


SYSTEMS: dict[str, Peer] = {
    "vest-lf-manual": _vest("VeST, L_F, manual", "lf", 0.6),
    "vest-lf-auto": _vest("VeST, L_F, auto", "lf", "auto"),
    "vest-l1-manual": _vest("VeST, L1, manual", "l1", 0.6),
    "vest-l1-auto": _vest("VeST, L1, auto", "l1", "auto"),
    "vest-tucker": Peer(
        "vest-tucker",
        "ours",
        "peers.ours.vest",
        "this package",
        "vt.fit(X): finds ranks, penalties and zeros by itself; it is not given the ranks",
        "not the paper's algorithm: priors in place of penalties, one ranking, an offset",
        f"recovers a planted truth; {KERNELS}",
        ("vest_tucker",),
        {"ranks": "auto", "sparsity": "auto", "unseen": "mean"},
        curves=True,
    ),
    "mean": _baseline("mean", "mean", "nothing", "predicts the mean of the entries"),
    "biases": _baseline(
        "mean and biases",
        "biases",
        "biases are drawn to 0 where a row has few entries",
        "finds some of a planted truth that is additive in part, and not all of it",
    ),
    "lasso": _vest("L1 (Lasso)", "l1", 0.0, lasso=True),
    "value-pruning-lf": _value_pruning("Value Pruning, L_F", "lf"),
    "value-pruning-l1": _value_pruning("Value Pruning, L1", "l1"),
    "tucker-als": Peer(
        "Tucker-ALS (HOOI)",
        "paper",
        "peers.published.tucker_als",
        "Kolda and Bader, Tensor decompositions and applications, 2009; pyttb's tucker_als",
        "the ranks given; missing cells are 0, as in the VeST paper",
        "nothing: the Python port of the toolbox that the VeST paper used",
        "it is the published package; recovers a planted truth of all cells, and agrees with "
        "TensorLy's Tucker",
        ("pyttb",),
        {"max_iter": 100, "tol": 1e-4},
    ),
    "p-tucker-approx": Peer(
        "P-Tucker-Approx",
        "paper",
        "peers.written.p_tucker",
        "Oh, Park, Sael and Kang, Scalable Tucker factorization for sparse tensors, ICDE 2018",
        "the ranks given; observed entries only",
        "without the closing QR, which changes no prediction but fills the zeros of the core",
        "recovers a planted truth, and agrees with TensorLy's masked Tucker, both where nothing is "
        "truncated; rows and truncation by hand; its authors' program is no package",
        (),
        {"lam": 0.01, "truncation": 0.2, "max_iter": 20, "tol": 1e-4},
        curves=True,
    ),
    "ttp": Peer(
        "TTP",
        "paper",
        "peers.written.ttp",
        "Sun, Lu, Liu and Cheng, Provable sparse tensor decomposition, JRSS B 2017",
        AS_ZERO,
        "components come off one by one, each the heaviest of several random starts; its authors "
        "cluster all starts; the same share is kept in every mode",
        "recovers planted sparse components; agrees with TensorLy's best one of rank one where "
        "nothing is truncated; no package truncates",
        (),
        {"rank": None, "keep": 0.4, "starts": 10, "max_iter": 50},
    ),
    "sparse-cp": Peer(
        "Sparse CP",
        "paper",
        "peers.written.sparse_cp",
        "Allen, Sparse higher-order principal components analysis, AISTATS 2012",
        AS_ZERO,
        "five plain power iterations come first; the BIC chooses thresholds at every update",
        "recovers planted sparse components; agrees with TensorLy's best one of rank one without a "
        "threshold, and with thresholds by brute force; no package has it",
        (),
        {"rank": None, "lam": None, "max_iter": 100},
    ),
    "myfm": Peer(
        "myFM",
        "user",
        "peers.published.myfm_gibbs",
        "myfm 0.4; Freudenthaler, Schmidt-Thieme and Rendle, Bayesian factorization machines, 2011",
        "observed entries only, the modes one-hot",
        "nothing: MyFMGibbsRegressor",
        PLANTED,
        ("myfm", "scipy"),
        {"rank": 8, "samples": 200},
        curves=True,
    ),
    "smurff": _smurff(
        "SMURFF",
        "normal",
        "its noise is learned, which by default is fixed",
        f"{PLANTED}; its own average of samples is the one here",
        {"noise": [1.0, 10.0], "scale": None, "sparse_mode": None},
    ),
    "smurff-spike-and-slab": _smurff(
        "SMURFF, spike and slab",
        "spikeandslab",
        "values are made small and the prior is in one mode, for else no component outlives its "
        "first sweeps; mode (of the two shortest, from 0) and noise (learned, or a precision) are "
        "chosen on a tenth of the entries; the zeros are those of each sample",
        f"{PLANTED} and the zeros of the mode that has the prior",
        {
            "noise": {"try": [[10.0, 10.0], 2.0]},
            "scale": 0.1,
            "sparse_mode": {"try": [0, 1]},
        },
    ),
    "genten-gcp": Peer(
        "GenTen, GCP",
        "user",
        "peers.published.genten",
        "pygenten; Kolda and Hong, Stochastic gradients for large-scale tensor decomposition, 2020",
        "observed entries only: one sampled zero of weight 0; the mean is taken off",
        "nothing; its rank is chosen on a tenth of the entries, within its time",
        PLANTED,
        ("pygenten",),
        STOCHASTIC,
        centre=True,
        curves=True,
    ),
    "pyttb-gcp": Peer(
        "pyttb, GCP",
        "user",
        "peers.published.pyttb_gcp",
        "pyttb's gcp_opt; Hong, Kolda and Duersch, Generalized canonical polyadic, 2020",
        "observed entries only: samples of non-zeros alone; the mean is taken off",
        "nothing; its rank is chosen on a tenth of the entries, within its time",
        PLANTED,
        ("pyttb",),
        STOCHASTIC,
        centre=True,
    ),
    "tensorly-masked": Peer(
        "TensorLy, masked Tucker",
        "user",
        "peers.published.tensorly_masked",
        "TensorLy's tucker(mask=...); Kossaifi et al., JMLR 2019",
        "the ranks given; observed entries only; a tenth of them says if the mean comes off",
        "starts from random numbers, which ends lower than its default",
        PLANTED,
        ("tensorly",),
        {"max_iter": 100, "init": "random"},
        centre=None,
        dense=6,
    ),
    "surprise-svd": _surprise(
        "Surprise, SVD",
        "peers.published.surprise_svd",
        "Hug, Surprise, JOSS 2020; Koren, Bell and Volinsky, 2009",
        PLANTED,
        {"rank": 100, "epochs": 20},
    ),
    "surprise-baseline": _surprise(
        "Surprise, BaselineOnly",
        "peers.published.surprise_baseline",
        "Hug, Surprise, JOSS 2020; Koren, 2010",
        "it is the published package, and about as far off as mean and biases here",
        {},
    ),
    "boosting": _boosting(
        "HistGradientBoosting, one-hot",
        "one-hot",
        "a column per row of every mode; leaves of 5 entries, not 20",
    ),
    "boosting-target": _boosting(
        "HistGradientBoosting, encoded",
        "target",
        "long modes by TargetEncoder, short ones as categories; leaves of 5 entries, not 20",
    ),
}
