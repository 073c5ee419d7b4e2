using System.Diagnostics.CodeAnalysis;
using Geo.Directory;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// The activation of a single-instance or journaled grain as the silo's messages reach it: each request is made to check the silo's lease
/// where it runs, and is known to the journal when it waits. Everything else is Orleans' own activation.
/// </summary>
internal sealed class WatchedContext : IGrainContext, IAsyncDisposable
{
    private readonly IGrainContext _activation;
    private readonly ActivationSeam _seam;
    private readonly object _table;
    private readonly Task _ended;

    /// <summary>Stands before an activation.</summary>
    /// <param name="activation">The activation. It may run already: nothing is asked of it that waits for its lock.</param>
    /// <param name="ended">Its end.</param>
    /// <param name="waits">The waits for its journal; null where they let nobody in.</param>
    /// <param name="callers">Counts its calls; null where they are not followed.</param>
    /// <param name="seam">The way into Orleans.</param>
    /// <param name="table">The silo's table of activations.</param>
    /// <param name="guard">The lease under which it may serve; null where none is needed.</param>
    public WatchedContext(
        IGrainContext activation, Task ended, JournalWaits? waits, CallerCounts? callers, ActivationSeam seam, object table,
        ILeaseGuard? guard)
    {
        (_activation, _ended, Waits, Callers) = (activation, ended, waits, callers);
        (_seam, _table, Guard) = (seam, table, guard);

        // An activation that ends takes itself out of the table, but not this in its place.
        _ = _ended.ContinueWith(
            (_, self) => ((WatchedContext)self!).LeaveTable(), this, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>The lease under which it may serve; null where none is needed.</summary>
    public ILeaseGuard? Guard { get; }

    /// <summary>Counts its calls; null where they are not followed.</summary>
    public CallerCounts? Callers { get; }

    /// <summary>The waits for the journal; null where they let nobody in.</summary>
    public JournalWaits? Waits { get; }

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
        // What is no request is an answer to the grain's own calls. A message that is delivered once more has been dealt with before; one
        // that waited while the activation before this one ended is still known to that one only.
        if (_seam.RequestOf(message) is IInvokable request && !(request is WatchedRequest own && own.Activation == this))
        {
            var called = request is WatchedRequest earlier ? earlier.Request : request;
            _seam.SetRequest(message, new WatchedRequest(called, this, Waits is not null && _seam.IsInterleaved(message)));
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
