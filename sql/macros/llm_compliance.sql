-- LLM Compliance of robustness and grounding (paper 000); 0 when both are 0, null when either is null.
create macro macros.llm_compliance(robustness, grounding, beta) as
    case
        when robustness = 0 and grounding = 0 then 0.0
        else
            (1 + beta * beta) * robustness * grounding
            / (beta * beta * grounding + robustness)
    end
