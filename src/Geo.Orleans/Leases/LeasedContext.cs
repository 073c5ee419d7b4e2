using System.Diagnostics.CodeAnalysis;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// The activation of a single-instance grain as the silo's messages reach it: each request is made to check the silo's lease where it
/// runs. Everything else is Orleans' own activation.
/// </summary>
internal sealed class LeasedContext : IGrainContext, IAsyncDisposable
{
    private readonly IGrainContext _activation;
    private readonly ActivationSeam _seam;
    private readonly object _table;
    private readonly Task _ended;

    public LeasedContext(IGrainContext activation, ActivationSeam seam, object table, SiloLease lease)
    {
        (_activation, _seam, _table, Lease) = (activation, seam, table, lease);
        _ended = activation.Deactivated;

        // An activation that ends takes itself out of the table, but not this in its place.
        _ = _ended.ContinueWith(
            (_, self) => ((LeasedContext)self!).LeaveTable(), this, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>The silo's lease.</summary>
    public SiloLease Lease { get; }

    public GrainReference GrainReference => _activation.GrainReference;

    public GrainId GrainId => _activation.GrainId;

    public object? GrainInstance => _activation.GrainInstance;

    public ActivationId ActivationId => _activation.ActivationId;

    public GrainAddress Address => _activation.Address;

    public IServiceProvider ActivationServices => _activation.ActivationServices;

    public IGrainLifecycle ObservableLifecycle => _activation.ObservableLifecycle;

    public IWorkItemScheduler Scheduler => _activation.Scheduler;

    public Task Deactivated => _activation.Deactivated;

    public void ReceiveMessage(object message)
    {
        // A message that is delivered once more has been dealt with before; what is no request is an answer to the grain's own calls.
        if (_seam.RequestOf(message) is IInvokable request and not LeasedRequest)
        {
            _seam.SetRequest(message, new LeasedRequest(request, this));
        }

        if (_ended.IsCompleted)
        {
            // Before the activation sends the message on to its successor, which is looked for in the table.
            LeaveTable();
        }

        _activation.ReceiveMessage(message);
    }

    public object? GetTarget() => _activation.GetTarget();

    public object? GetComponent(Type componentType) => _activation.GetComponent(componentType);

    public void SetComponent<TComponent>(TComponent? value)
        where TComponent : class => _activation.SetComponent(value);

    public void Activate(Dictionary<string, object>? requestContext, CancellationToken cancellationToken = default) =>
        _activation.Activate(requestContext, cancellationToken);

    public void Deactivate(DeactivationReason deactivationReason, CancellationToken cancellationToken = default) =>
        _activation.Deactivate(deactivationReason, cancellationToken);

    public void Rehydrate(IRehydrationContext context) => _activation.Rehydrate(context);

    public void Migrate(Dictionary<string, object>? requestContext, CancellationToken cancellationToken = default) =>
        _activation.Migrate(requestContext, cancellationToken);

    public bool Equals([NotNullWhen(true)] IGrainContext? other) => other is not null && ActivationId.Equals(other.ActivationId);

    public override bool Equals(object? obj) => Equals(obj as IGrainContext);

    public override int GetHashCode() => ActivationId.GetHashCode();

    public override string? ToString() => _activation.ToString();

    public async ValueTask DisposeAsync()
    {
        switch (_activation)
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

    private void LeaveTable() => _seam.Remove(_table, this);
}
