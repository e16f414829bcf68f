-- Which third of a text a character lies in; null where it does not lie in it.
create macro macros.third(place, n_chars) as
    case
        when place < 0 then null
        when 3 * place < n_chars then 'first third'
        when 3 * place < 2 * n_chars then 'middle third'
        when place < n_chars then 'last third'
    end
