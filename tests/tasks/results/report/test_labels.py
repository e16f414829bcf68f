from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.results.report.labels import CHAR_WIDTH, LINE_HEIGHT, Label, Named, place

WIDTH, HEIGHT = 600.0, 400.0


def box(label: Label) -> tuple[float, float, float, float]:
    return (
        label.x,
        label.y - LINE_HEIGHT / 2,
        label.x + CHAR_WIDTH * len(label.text),
        label.y + LINE_HEIGHT / 2,
    )


def meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_a_lone_point_has_its_name_beside_it() -> None:
    (label,) = place([Named("alpha", 100, 100, "1")], WIDTH, HEIGHT)
    assert label.text == "alpha"
    assert 0 < label.x - 100 < 20


def test_a_name_at_the_right_edge_stands_at_the_left() -> None:
    (label,) = place([Named("a long name", WIDTH - 5, 100)], WIDTH, HEIGHT)
    assert box(label)[2] < WIDTH - 5


def test_where_a_name_has_no_room_its_number_stands() -> None:
    crowd = [Named(f"a very long model name {n}", 300 + 8 * n, 200, str(n)) for n in range(9)]
    texts = [label.text for label in place(crowd, WIDTH, HEIGHT)]
    assert any(text.isdigit() for text in texts)


def test_a_point_without_a_number_goes_without_where_there_is_no_room() -> None:
    crowd = [
        Named("ours", 300, 200, "1"),
        *(Named("published " * 3, 300 + n, 200) for n in range(40)),
    ]
    labels = place(crowd, WIDTH, HEIGHT)
    assert labels[0].text == "ours"
    assert len(labels) < len(crowd)


points = st.lists(
    st.builds(
        lambda x, y, n: Named("n" * n, x, y, "7", ((x - 30, y - 2, x + 30, y + 2),)),
        st.floats(0, WIDTH),
        st.floats(0, HEIGHT),
        st.integers(1, 30),
    ),
    max_size=25,
)


@given(points)
def test_no_label_covers_another_or_a_point_and_no_name_covers_a_line(crowd: list[Named]) -> None:
    labels = place(crowd, WIDTH, HEIGHT)
    boxes = [box(label) for label in labels]
    for i, (label, one) in enumerate(zip(labels, boxes, strict=True)):
        assert one[0] >= 0
        assert one[2] <= WIDTH
        assert one[1] >= 0
        assert one[3] <= HEIGHT
        assert not any(meet(one, other) for other in boxes[i + 1 :])
        assert not any(one[0] < p.x < one[2] and one[1] < p.y < one[3] for p in crowd)
        is_number = label.text == "7"
        assert is_number or not any(meet(one, line) for p in crowd for line in p.covers)
