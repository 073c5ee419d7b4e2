using System.Diagnostics.CodeAnalysis;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// The activation of a single-instance grain as the silo's messages reach it: each request is made to check the silo's lease where it
/// runs. Everything else is Orleans' own activation.
/// </summary>
internal sealed class LeasedContext(IGrainContext activation, MessageBody body, SiloLease lease) : IGrainContext, IAsyncDisposable
{
    private readonly GrainId _grain = activation.GrainId;

    public GrainReference GrainReference => activation.GrainReference;

    public GrainId GrainId => _grain;

    public object? GrainInstance => activation.GrainInstance;

    public ActivationId ActivationId => activation.ActivationId;

    public GrainAddress Address => activation.Address;

    public IServiceProvider ActivationServices => activation.ActivationServices;

    public IGrainLifecycle ObservableLifecycle => activation.ObservableLifecycle;

    public IWorkItemScheduler Scheduler => activation.Scheduler;

    public Task Deactivated => activation.Deactivated;

    public void ReceiveMessage(object message)
    {
        // A message that is delivered once more has been dealt with before; what is no request is an answer to the grain's own calls.
        if (body.Get(message) is IInvokable request and not LeasedRequest)
        {
            body.Set(message, new LeasedRequest(request, lease, _grain));
        }

        activation.ReceiveMessage(message);
    }

    public object? GetTarget() => activation.GetTarget();

    public object? GetComponent(Type componentType) => activation.GetComponent(componentType);

    public void SetComponent<TComponent>(TComponent? value)
        where TComponent : class => activation.SetComponent(value);

    public void Activate(Dictionary<string, object>? requestContext, CancellationToken cancellationToken = default) =>
        activation.Activate(requestContext, cancellationToken);

    public void Deactivate(DeactivationReason deactivationReason, CancellationToken cancellationToken = default) =>
        activation.Deactivate(deactivationReason, cancellationToken);

    public void Rehydrate(IRehydrationContext context) => activation.Rehydrate(context);

    public void Migrate(Dictionary<string, object>? requestContext, CancellationToken cancellationToken = default) =>
        activation.Migrate(requestContext, cancellationToken);

    /// <summary>The activation takes itself out of the silo's table by its own name, under which this stands there.</summary>
    public bool Equals([NotNullWhen(true)] IGrainContext? other) => other is not null && ActivationId.Equals(other.ActivationId);

    public override bool Equals(object? obj) => Equals(obj as IGrainContext);

    public override int GetHashCode() => ActivationId.GetHashCode();

    public override string? ToString() => activation.ToString();

    public async ValueTask DisposeAsync()
    {
        switch (activation)
        {
            case IAsyncDisposable asynchronous:
                await asynchronous.DisposeAsync();
                break;
            case IDisposable disposable:
                disposable.Dispose();
                break;
            default:
                break;
        }
    }
}
