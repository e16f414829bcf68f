"""The sections of the page that only RefusalBench has."""

from __future__ import annotations

from tasks.suites.page import (
    Distribution,
    Dots,
    Heatmap,
    Scatter,
    Section,
    ShownReport,
    name_columns,
)

SETTINGS = {"single": "One passage", "multi": "Ten passages"}


SECTIONS = (
    Section(
        id="refusals",
        name="Refusals",
        title="Answering and refusing",
        text=(
            "A good model answers what can be answered, and refuses the rest with the right code. "
            "Detection is whether it refuses; the category is the code."
        ),
        shows=(
            Scatter(x="answer_accuracy", y="refusal_accuracy", title="Answer and refusal accuracy"),
            Scatter(x="detection_f1", y="category_accuracy", title="Detection and category"),
            Scatter(x="false_refusal", y="missed_refusal", title="False and missed refusals"),
            Distribution(
                relation="responses",
                panels={"all": "All cases", **SETTINGS},
                title="Six responses",
            ),
            ShownReport(
                relation="confusion",
                title="Expected and given codes",
                meaning=(
                    "Replies by the code that they give. Right: the share of cases that get the "
                    "expected code, or an answer where one is expected."
                ),
                columns=name_columns(
                    "judge",
                    "model",
                    "expected",
                    "answered",
                    "ambiguous",
                    "contradictory",
                    "info_missing",
                    "false_premise",
                    "granularity",
                    "nonfactual",
                    "other",
                    "right_share",
                ),
                only={"setting": "all"},
            ),
        ),
    ),
    Section(
        id="classes",
        name="Classes",
        title="Classes and intensities",
        text=(
            "At low intensity, accuracy is that of answers; at medium and high intensity, that of "
            "codes. A model that sees through noise and notices real defects is high in all three."
        ),
        shows=(
            Dots(
                dimension="intensity",
                metrics=("answer_accuracy", "refusal_accuracy"),
                title="Accuracy by intensity",
            ),
            Heatmap(
                metric="refusal_accuracy",
                by=("task", "perturbation_class"),
                title="Refusal accuracy by class",
            ),
            Heatmap(
                metric="right",
                by=("task", "intensity", "perturbation_class"),
                title="Right responses by class and intensity",
                below="right",
            ),
        ),
    ),
    Section(
        id="confidence",
        name="Confidence",
        title="Stated confidence",
        text=(
            "Of cases that were asked for a level of confidence, how many replies at each level "
            "are right. Levels stand for 15, 40, 60, 80 and 95 %."
        ),
        shows=(
            ShownReport(
                relation="reliability",
                title="Reliability by kind of reply",
                meaning="Difference: the share of right replies minus what the level stands for.",
                columns=name_columns(
                    "judge",
                    "model",
                    "replies",
                    "confidence",
                    "n",
                    "share",
                    "midpoint",
                    ("Right", ("accuracy", "low", "high")),
                    "difference",
                ),
            ),
        ),
    ),
    Section(
        id="verifiers",
        name="Verifiers",
        title="Who wrote the cases, and who checked them",
        text=(
            "Generators perturb the questions, verifiers check each perturbation by a list of "
            "questions. Cases are those that enough verifiers pass."
        ),
        after="questions",
        shows=(
            ShownReport(
                relation="pass_rates",
                title="Pass rates by generator and verifier",
                meaning=(
                    "Matched: on perturbations that every generator has of the same question, "
                    "class and intensity."
                ),
                columns=name_columns(
                    "setting",
                    "generator",
                    "verifier",
                    "n",
                    "n_unread",
                    "pass_rate",
                    "n_matched",
                    ("Passed, matched", "matched_pass_rate"),
                ),
                only={"perturbation_class": "all", "intensity": "all"},
            ),
            ShownReport(
                relation="self_evaluation",
                title="Do verifiers favour their own work?",
                meaning=(
                    "On matched perturbations. Share: passed of its own minus passed of the "
                    "others'. A better writer has a higher one, too; excess takes away what the "
                    "other verifiers say of the same perturbations."
                ),
                columns=name_columns(
                    "verifier",
                    "measure",
                    "n",
                    "own",
                    "others",
                    ("Difference", ("preference", "low", "high")),
                ),
            ),
            ShownReport(
                relation="verifier_agreement",
                title="Agreement of verifiers with each other",
                meaning="Kappa: agreement beyond chance.",
                columns=name_columns(
                    "verifier",
                    "other_verifier",
                    "n",
                    ("agreement", "agreement_low", "agreement_high"),
                    ("kappa", "kappa_low", "kappa_high"),
                ),
            ),
            ShownReport(
                relation="contributions",
                title="Cases by generator",
                meaning="Drawn: perturbations that are cases.",
                columns=name_columns(
                    "setting",
                    "generator",
                    "made",
                    "n",
                    "n_passed",
                    "passed_share",
                    "n_drawn",
                    "share_of_drawn",
                ),
            ),
        ),
    ),
)
