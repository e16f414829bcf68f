-- One row per model that the RefusalBench paper lists: table 3, in its order.
--
-- In the text at hand Gemini 2.5 Pro has lost its family, which the same appendix names elsewhere.
select
    *,
    'table 3' as source
from (
    values
    ('Anthropic', 'Claude-3.5-Sonnet', 'anthropic.claude-3-5-sonnet-20240620-v1:0', 'AWS Bedrock'),
    ('Anthropic', 'Claude-4-Sonnet', 'anthropic.claude-sonnet-4-20250514-v1:0', 'AWS Bedrock'),
    ('Anthropic', 'Claude-4-Opus', 'anthropic.claude-opus-4-20250514-v1:0', 'AWS Bedrock'),
    ('OpenAI', 'GPT-4o', 'gpt-4o-2024-08-06', 'OpenAI API'),
    ('OpenAI', 'GPT-4.1', 'gpt-4.1-2025-04-14', 'OpenAI API'),
    ('OpenAI', 'o4-mini', 'o4-mini-2025-04-16', 'OpenAI API'),
    ('Amazon', 'Nova-Pro', 'amazon.nova-pro-v1:0', 'AWS Bedrock'),
    ('Amazon', 'Nova-Premier', 'amazon.nova-premier-v1:0', 'AWS Bedrock'),
    ('DeepSeek', 'DeepSeek-R1', 'deepseek.r1-v1:0', 'AWS Bedrock'),
    ('Google', 'Gemini 2.5 Pro', 'gemini-2.5-pro-001', 'Vertex AI'),
    ('Meta', 'Llama-3.1-8B-Instruct', 'meta-llama/Meta-Llama-3.1-8B-Instruct', 'Local vLLM'),
    ('Meta', 'Llama-3.1-70B-Instruct', 'meta-llama/Meta-Llama-3.1-70B-Instruct', 'Local vLLM'),
    ('Allen Institute', 'OLMo-2-1B-DPO', 'allenai/OLMo-2-0425-1B-DPO', 'Local vLLM'),
    ('Allen Institute', 'OLMo-2-7B-DPO', 'allenai/OLMo-2-1124-7B-DPO', 'Local vLLM'),
    ('Allen Institute', 'OLMo-2-13B-DPO', 'allenai/OLMo-2-1124-13B-DPO', 'Local vLLM'),
    ('Allen Institute', 'OLMo-2-32B-DPO', 'allenai/OLMo-2-0325-32B-DPO', 'Local vLLM'),
    ('Alibaba', 'Qwen-1.5-0.5B-Chat', 'Qwen/Qwen1.5-0.5B-Chat', 'Local vLLM'),
    ('Alibaba', 'Qwen-1.5-1.8B-Chat', 'Qwen/Qwen1.5-1.8B-Chat', 'Local vLLM'),
    ('Alibaba', 'Qwen-1.5-4B-Chat', 'Qwen/Qwen1.5-4B-Chat', 'Local vLLM'),
    ('Alibaba', 'Qwen-1.5-7B-Chat', 'Qwen/Qwen1.5-7B-Chat', 'Local vLLM'),
    ('Alibaba', 'Qwen-1.5-14B-Chat', 'Qwen/Qwen1.5-14B-Chat', 'Local vLLM'),
    ('Alibaba', 'Qwen-1.5-32B-Chat', 'Qwen/Qwen1.5-32B-Chat', 'Local vLLM'),
    ('Alibaba', 'Qwen-1.5-72B-Chat', 'Qwen/Qwen1.5-72B-Chat', 'Local vLLM')
) as printed (family, model, identifier, platform)
