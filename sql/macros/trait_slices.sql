-- The slices that a unit lies in by what is asked: the whole, its variant, its task, and the sets of traits that it has.
create macro macros.trait_slices(variant, task, traits, sets) as
    list_transform(
        list_filter(
            list_transform(
                list_distinct([['overall'], ['variant'], ['task']] || coalesce(sets, [])),
                lambda named: {
                    'named': named,
                    'values': list_transform(
                        named,
                        lambda key: map_concat(
                            map {'overall': 'all', 'variant': variant, 'task': task}, coalesce(traits, map {})
                        )[key]
                    )
                }
            ),
            lambda slice: len(list_filter(slice.values, lambda value: value is not null)) = len(slice.named)
        ),
        lambda slice: {
            'slice_by': array_to_string(slice.named, ','),
            'slice_value': array_to_string(slice.values, ',')
        }
    )
