-- One row per trait by which the toy suite's units are sliced.
select 'toy' as suite, * from (values (['placement'], false), (['generator'], false)) as sets (traits, is_compared)
