-- Two-sided p of a sign test on so many filings that all point one way: no test on as many can be surer.
create macro macros.sign_test_p(n_differing) as least(1, 2 * 0.5 ** n_differing)
