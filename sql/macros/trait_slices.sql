-- The slices that a unit lies in by what is asked: the whole, its variant, its task, its traits, and sets of them.
create macro macros.trait_slices(variant, task, traits, sets) as
    list_transform(
        list_filter(
            [['overall']]
            || list_transform(
                map_keys(map_concat(map {'variant': variant, 'task': task}, coalesce(traits, map {}))), lambda key: [key]
            )
            || coalesce(sets, []),
            lambda named: len(
                list_filter(
                    named,
                    lambda key: map_concat(
                        map {'overall': 'all', 'variant': variant, 'task': task}, coalesce(traits, map {})
                    )[key] is not null
                )
            ) = len(named)
        ),
        lambda named: {
            'slice_by': array_to_string(named, ','),
            'slice_value': array_to_string(
                list_transform(
                    named,
                    lambda key: map_concat(
                        map {'overall': 'all', 'variant': variant, 'task': task}, coalesce(traits, map {})
                    )[key]
                ),
                ','
            )
        }
    )
