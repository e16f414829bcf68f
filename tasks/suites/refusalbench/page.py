"""RefusalBench's texts for reports and the command line."""

from __future__ import annotations

from tasks.suites.page import Dots, Heatmap, Label, Page, Scatter, Section
from tasks.suites.refusalbench.strata import CLASSES, INTENSITIES

_CLASSES = {
    "ambiguity": ("Ambiguity", "the question or the text has several readings"),
    "contradiction": ("Contradiction", "passages state facts that cannot all be true"),
    "missing_info": ("Missing information", "what the answer needs is taken out"),
    "false_premise": ("False premise", "the question takes something wrong for granted"),
    "granularity_mismatch": ("Granularity mismatch", "it asks at another level of detail"),
    "epistemic_mismatch": ("Epistemic mismatch", "it asks for a judgement or a prediction"),
}
_INTENSITIES = {
    "low": "a careful reader can still answer",
    "medium": "no sound answer is left",
    "high": "plainly no answer is left",
}

SETTINGS = {"single": "One passage", "multi": "Ten passages"}

_SECTIONS = (
    Section(
        name="Refusals",
        text=(
            "A good model answers what can be answered, and refuses the rest with the right code. "
            "Detection is whether it refuses; the category is the code."
        ),
        shows=(
            Scatter(x="answer_accuracy", y="refusal_accuracy"),
            Scatter(x="detection_f1", y="category_accuracy"),
            Scatter(x="false_refusal", y="missed_refusal"),
            "rating_shares",
            "champions",
            "confusion",
        ),
    ),
    Section(
        name="Classes",
        text=(
            "At low intensity, accuracy is that of answers; at medium and high intensity, that of "
            "codes. A model that sees through noise and notices real defects is high in all three."
        ),
        shows=(
            Dots(dimension="intensity", metrics=("answer_accuracy", "refusal_accuracy")),
            Heatmap(metric="refusal_accuracy", by=("task", "perturbation_class")),
            Heatmap(metric="right", by=("task", "intensity", "perturbation_class")),
        ),
    ),
    Section(
        name="Confidence",
        text=(
            "Of cases that were asked for a level of confidence, how many replies at each level "
            "are right. Levels stand for 15, 40, 60, 80 and 95 %."
        ),
        shows=("reliability",),
    ),
    Section(
        name="Verifiers",
        text=(
            "Generators perturb the questions, verifiers check each perturbation by a list of "
            "questions. Cases are those that enough verifiers pass."
        ),
        shows=("pass_rates", "self_evaluation", "verifier_agreement", "contributions"),
    ),
)

PAPER = """```bibtex
@article{muhamed2025refusalbench,
  title = {RefusalBench: Generative Evaluation of Selective Refusal in Grounded Language Models},
  author = {Muhamed, Aashiq and Ribeiro, Leonardo F. R. and Dreyer, Markus and Smith, Virginia and
            Diab, Mona T.},
  year = {2025},
  eprint = {2510.10390},
  archivePrefix = {arXiv}
}
```

The classes, intensities, levers, codes and metrics come from this paper and its authors' code."""

PAGE = Page(
    metrics={
        "crs": Label(
            "Calibrated Refusal Score", "the mean of answer accuracy and refusal accuracy"
        ),
        "answer_accuracy": Label(
            "Answer accuracy",
            "the share of answerable cases that are answered correctly; of ten passages, from the "
            "right ones",
        ),
        "refusal_accuracy": Label(
            "Refusal accuracy", "the share of unanswerable cases that get the right code"
        ),
        "hierarchical_score": Label("Hierarchical score", "detection F1 times category accuracy"),
        "false_refusal": Label(
            "False refusals", "the share of answerable cases that are refused", is_lower_better=True
        ),
        "missed_refusal": Label(
            "Missed refusals",
            "the share of unanswerable cases that are answered",
            is_lower_better=True,
        ),
        "detection_f1": Label(
            "Detection F1", "the balance of refusing what must be refused, and nothing else"
        ),
        "category_accuracy": Label(
            "Category accuracy", "the share of refusals of unanswerable cases with the right code"
        ),
        "hybrid_score": Label(
            "Hybrid score", "answer and refusal accuracy, weighted by their cases"
        ),
        "right": Label("Right", "the share of cases that are answered or refused as they should"),
        "refusal": Label("Refusals", "the share of cases that are refused"),
        "correct_refusal": Label(
            "Detection recall", "the share of unanswerable cases that are refused with any code"
        ),
        "detection_precision": Label(
            "Detection precision", "the share of refusals that are of unanswerable cases"
        ),
        "eligibility": Label("Eligibility", "the share of attempts that answer what is asked"),
        "unadjusted_factuality": Label(
            "Factuality", "the share of attempts that the passages support"
        ),
        "raf": Label("RAF", "the share of eligible attempts that relevant passages support"),
        "raf_gap": Label("RAF gap", "RAF minus factuality, of attempts"),
        "ece": Label(
            "Calibration error",
            "how far stated confidence is from the share of right replies",
            is_lower_better=True,
        ),
        "ece_answers": Label(
            "Calibration error, answers", "the same for answers", is_lower_better=True
        ),
        "ece_refusals": Label(
            "Calibration error, refusals", "the same for refusals", is_lower_better=True
        ),
        "highest_confidence": Label(
            "Highest confidence", "the share of replies at the highest level of confidence"
        ),
        "confidence_accuracy": Label(
            "Right, with confidence",
            "of replies with a level of confidence, the share that are right",
        ),
    },
    variants={
        f"{name}_{intensity}": Label(
            f"{_CLASSES[name][0]}, {intensity}", f"{_CLASSES[name][1]}; {_INTENSITIES[intensity]}"
        )
        for name in CLASSES
        for intensity in INTENSITIES
    },
    tasks={
        "single": Label(
            SETTINGS["single"], "a short answer from one passage, or a code of refusal"
        ),
        "multi": Label(SETTINGS["multi"], "an answer from ten passages, or a code of refusal"),
        "quality": Label("Quality", "whether the lever was applied soundly, as people see it"),
        "naturalness": Label("Naturalness", "whether people could have written the text so"),
        **{name: Label(*words) for name, words in _CLASSES.items()},
    },
    dimensions={
        "perturbation_class": Label("Class"),
        "intensity": Label("Intensity"),
        "generator": Label("Generator"),
        "answer_kind": Label("Kind of answer"),
    },
    order={"perturbation_class": CLASSES, "intensity": INTENSITIES},
    of_answers="right",
    sections=_SECTIONS,
)
