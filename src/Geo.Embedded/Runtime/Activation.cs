using Geo.Consistency;
using Geo.Consistency.Lattices;
using Microsoft.Extensions.Logging;

namespace Geo.Embedded;

/// <summary>
/// One instance of a grain in this silo: its turns, from the acquisition of the directory's row to its release. A single-instance grain
/// acquires and releases its row within this life, so that of two activations of one key in a silo the second begins after the first
/// has given the row up.
/// </summary>
/// <remarks>
/// This is its face: to callers, to the grain and to the grain's view. <see cref="ActivationTurns"/> says which turn runs,
/// <see cref="ActivationLife"/>, its base, what happens from begin to end, <see cref="GrainInstance"/> what the grain holds in between.
/// </remarks>
internal sealed class Activation : ActivationLife, IActivationContext, IJournalSource, ILatticeSource
{
    private readonly Action<Activation> _onEnded;

    public Activation(GrainKey key, GrainClass grainClass, SiloContext silo, Action<Activation> onEnded)
    {
        (Key, _onEnded) = (key, onEnded);
        Class = grainClass;
        Silo = silo;
        Feed = grainClass is not { IsReplica: true, Declaration.ReadReplica: { } replica } ? null : new ReadFeed(
            key, replica, silo.Options.ReadReplicas, silo.Time, AskInstanceAsync,
            () => Deactivate(new(DeactivationReasonCode.ActivationIdle, "Nobody reads this replica.")), silo.Logger);
        Scheduler = new TurnScheduler(this);
        Turns = new ActivationTurns(this);
        Instance = new GrainInstance(this);
    }

    public override GrainKey Key { get; }

    public override SiloContext Silo { get; }

    public override GrainClass Class { get; }

    public override TurnScheduler Scheduler { get; }

    public override ActivationTurns Turns { get; }

    public override GrainInstance Instance { get; }

    /// <summary>Keeps a read replica up to date; null for a grain's instance.</summary>
    public ReadFeed? Feed { get; }

    /// <inheritdoc/>
    long IActivationContext.Tenancy => Tenancy;

    IGrainFactory IActivationContext.GrainFactory => Silo.Factory;

    string IActivationContext.SiloIdentity => Silo.Node;

    IServiceProvider IActivationContext.Services => Instance.Services;

    ILogger IJournalSource.Logger => Silo.Logger;

    bool IJournalSource.ServesOthers => Class.Declaration.Protocol is ViewProtocol.VersionedLeader or ViewProtocol.Own;

    public override string ToString() => Key.ToString();

    /// <summary>Takes a call; false when the instance is gone and the call must look for the next one.</summary>
    public bool TryAccept(GrainCall call, TurnQueue.Kind kind)
    {
        var comesFromHere = call.Callers is { } callers && (Class.Declaration.PerSilo == 1 ? callers.Includes(Key) : callers.RunsOn(this));
        var acceptance = Turns.Take(call, kind, comesFromHere);
        if (acceptance == Acceptance.Gone)
        {
            return false;
        }

        if (acceptance == Acceptance.TooManyWait)
        {
            EmbeddedMetrics.QueueRejections.Add(1);
            call.TryFail(new GeoUnavailableException(
                $"{Key} has {Silo.Options.MaxQueuedRequests} calls waiting, as many as MaxQueuedRequests allows; {call} was not "
                + "executed."));
        }
        else if (acceptance == Acceptance.TooManyRun)
        {
            EmbeddedMetrics.RunningRejections.Add(1);
            call.TryFail(new GeoUnavailableException(
                $"{Key} runs {Silo.Options.MaxRunningRequests} calls, as many as MaxRunningRequests allows at a time; {call} was not "
                + "executed."));
        }
        else if (call.HasEnded)
        {
            // Given up while it came: nobody was told to take it out.
            Drop(call);
        }
        else if (acceptance == Acceptance.WaitsForItself)
        {
            call.WaitsForItself();
        }

        return true;
    }

    /// <summary>A call was given up: it is taken out if it still waits.</summary>
    public void Drop(GrainCall call) => Turns.Drop(call);

    /// <summary>Takes the tick of a timer; dropped when the grain is not active any more.</summary>
    public void Accept(TimerTick tick, bool interleave, bool keepAlive) => Turns.Take(tick, interleave, keepAlive);

    /// <summary>The grain is to be deactivated, and no turn runs any more.</summary>
    public void TurnsHaveEnded(DeactivationReason reason) => _ = EndAsync(reason);

    protected override void OnEnded() => _onEnded(this);

    void IJournalSource.Touch() => Turns.Touch();

    public void DelayDeactivation(TimeSpan timeSpan) => Turns.KeepFor(timeSpan);

    public IGrainTimer RegisterTimer(Func<CancellationToken, Task> callback, GrainTimerCreationOptions options) =>
        Instance.Timers.Register(callback, options);

    public object ReferenceTo(Type interfaceType) => Silo.References(interfaceType, Key);

    public IVersionedView<TState, TEvent> CreateView<TState, TEvent>(IViewModel<TState, TEvent> model, IViewObserver observer) =>
        Class.Declaration.Protocol == ViewProtocol.CoordinationFree
            ? new CoordinationFreeView<TState, TEvent>(Key, model, Class.Declaration, Silo.Lattices!, observer)
        : Feed is not null ? new ReadReplicaView<TState, TEvent>(Key, Feed, Silo.Serializer, Silo.Cluster, Silo.Time, AskForMore)
        : VersionedViews.Create(new ViewContext<TState, TEvent>(
            Class.Declaration,
            Key,
            model,
            Silo.Replicas.LinkFor(Class.Declaration.Instancing == Instancing.OnePerCluster),
            Silo.Views,
            observer));

    /// <summary>The call that runs here asks for what no copy has.</summary>
    private void AskForMore()
    {
        if (CallScope.Frame?.Turn is GrainCall call && call.At == this)
        {
            call.AsksForMore = true;
        }
    }

    public LatticeHandle<TLattice> OpenLattice<TLattice>()
        where TLattice : ILattice<TLattice> => Silo.Lattices!.Open<TLattice>(Key);

    public ILatticeSession OpenSession(ConsistencyLevel? level, SessionToken continues) =>
        ((ILatticeSessions)Silo.Lattices!).Open(level ?? Class.Declaration.Level, continues);

    public Task<byte[]> FeedAsync<TState, TEvent>(
        IVersionedView<TState, TEvent> view, byte[] poll, CancellationToken cancellationToken) =>
        ReadFeedSource.AnswerAsync(view, Class.Declaration, Silo.Serializer, poll, cancellationToken);

    /// <exception cref="GeoOutcomeUnknownException">The instance may have a successor by now.</exception>
    public ViewWait BeginViewWait()
    {
        if (Instance.Lost is { } lost)
        {
            throw new GeoOutcomeUnknownException(lost.Message, lost);
        }

        var turn = CallScope.Frame?.Turn is { } present && present.At == this ? present : null;
        if (turn is not null)
        {
            Turns.ViewWaitBegins(turn);
        }

        // What nobody called, or nobody waits for, has as long as a call.
        var wait = Spare<ViewWait>.Take();
        if (turn is GrainCall { Method.IsOneWay: false } call)
        {
            wait.Begin(this, turn, call.AnswerDueAt, call.Cancellation);
        }
        else
        {
            wait.Begin(this, turn, Silo.Deadlines.After(Silo.Options.RequestTimeout), default);
        }

        return wait;
    }

    private Task<byte[]> AskInstanceAsync(byte[] poll, CancellationToken cancellationToken) =>
        (Task<byte[]>)GrainClass.PollMethod.Call(Silo.Calls, Key, [poll, cancellationToken])!;

    public void CheckMayRaise()
    {
        if (CallScope.Frame?.Turn is GrainCall { Kind: TurnQueue.Kind.ReadOnly } call && call.At == this)
        {
            throw new InvalidOperationException(
                $"{call} is [ReadOnly] and may not raise events: it runs beside calls that have not ended. Remove the attribute, or raise "
                + "the events in another method.");
        }
    }
}
