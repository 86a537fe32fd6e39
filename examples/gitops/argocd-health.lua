-- Health of a RolloutPolicy for Argo CD. Put it into the ConfigMap argocd-cm under the key
--   resource.customizations.health.carabiner.dev_RolloutPolicy
-- Argo CD calls a paused Deployment Suspended even when its rollout has failed, so that the policy has to carry the bad news.
local health = { status = "Progressing", message = "waits for the operator" }

if obj.spec.suspend then
  return { status = "Suspended", message = "the policy is suspended: rollouts pass without hooks" }
end

local status = obj.status
if status == nil or status.conditions == nil then
  return health
end
if status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  return health
end

-- Hooks that wait for a person.
local questions = {}
for _, hook in ipairs(obj.spec.lifecycleHooks or {}) do
  if hook.approval ~= nil then
    questions[hook.name] = true
  end
end
for name, hook in pairs(obj.spec.lifecycle or {}) do
  if hook.approval ~= nil then
    questions[name] = true
  end
end

local holding = {}
for _, condition in ipairs(status.conditions) do
  if condition.status == "True" then
    holding[condition.type] = condition
  end
end

if holding.Stalled ~= nil then
  return { status = "Degraded", message = holding.Stalled.message }
end
if holding.Reconciling ~= nil then
  health.message = holding.Reconciling.message
  local waitingFor = status.rollout ~= nil and status.rollout.waitingFor or nil
  if waitingFor ~= nil and questions[waitingFor] then
    health.status = "Suspended"
    health.message = "hook " .. waitingFor .. " waits for an approval"
  end
  return health
end
if holding.Ready ~= nil then
  return { status = "Healthy", message = holding.Ready.message }
end
return health
