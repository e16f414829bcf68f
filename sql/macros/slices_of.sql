-- The names of the slices that a unit with these traits lies in, of sets of traits: `task=qa`, `variant=ocr,task=tg`.
create macro macros.slices_of(traits, sets) as
    list_transform(
        list_filter(sets, lambda named: len(list_filter(named, lambda trait: traits[trait] is not null)) = len(named)),
        lambda named: array_to_string(list_transform(named, lambda trait: trait || '=' || traits[trait]), ',')
    )
