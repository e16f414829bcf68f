-- Two-sided p of McNemar's exact test: of so many units that one of two models alone is right on, as uneven a split or more so.
--
-- The binomial tail is summed from its largest term down for as long as terms count in double precision, which is
-- 4.5 times the root of n and a few for small n. Without counts there is no p.
create macro macros.mcnemar_p(n_only_one, n_only_other) as
    case
        when n_only_one is not null and n_only_other is not null
            then least(
                1,
                2 * list_sum(
                    list_transform(
                        range(
                            greatest(
                                0,
                                least(n_only_one, n_only_other) - 40
                                - (4.5 * sqrt(n_only_one + n_only_other))::bigint
                            ),
                            least(n_only_one, n_only_other) + 1
                        ),
                        lambda k: exp(
                            lgamma(n_only_one + n_only_other + 1)
                            - lgamma(k + 1)
                            - lgamma(n_only_one + n_only_other - k + 1)
                            - (n_only_one + n_only_other) * ln(2)
                        )
                    )
                )
            )
    end
