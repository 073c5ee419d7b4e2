using Geo.Consistency;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded;

/// <summary>
/// The object of a grain and what it holds while it lives: its stored states, its view, its timers and its services. Touched by turns of
/// its activation only, unless it is said otherwise.
/// </summary>
/// <param name="activation">What the grain sees around it.</param>
internal sealed class GrainInstance(Activation activation)
{
    private IJournal? _journal;
    private IDisposable? _replicaRegistration;
    private ActivationTimers? _timers;
    private Rest? _rest;
    private bool _isEnding;

    /// <summary>The grain's timers.</summary>
    public ActivationTimers Timers
    {
        get
        {
            var timers = Volatile.Read(ref _timers);
            if (timers is null)
            {
                var first = new ActivationTimers(activation);
                timers = Interlocked.CompareExchange(ref _timers, first, null) ?? first;
            }

            return timers;
        }
    }

    /// <summary>The host's services, in a scope of this instance.</summary>
    public IServiceProvider Services => ((_rest ??= new()).Scope ??= Silo.Services.CreateAsyncScope()).ServiceProvider;

    /// <summary>The grain; null until it has been activated.</summary>
    public Grain? Grain { get; private set; }

    private SiloContext Silo => activation.Silo;

    /// <summary>True when something was raised that is not confirmed.</summary>
    public bool IsUnconfirmed => _journal is { UnconfirmedCount: > 0 };

    /// <summary>Reads its states, makes the grain and activates it.</summary>
    /// <exception cref="OperationCanceledException">Its time was up, or it was given up.</exception>
    public async Task CreateAsync(CancellationToken cancellationToken)
    {
        if (activation.Class.States.Count > 0)
        {
            _rest = new()
            {
                States = [.. activation.Class.States.Select(s => Silo.Stores.Create(activation.Key, s, Silo.Serializer, Distrust))],
            };
        }

        var states = _rest?.States ?? [];
        foreach (var state in states)
        {
            await state.LoadAsync(cancellationToken);
        }

        if (activation.Turns.IsClosing)
        {
            throw new OperationCanceledException($"{activation.Key} was given up before its state was read.");
        }

        if (!activation.Class.IsReplica)
        {
            Silo.Around.InstanceBegins(activation.Key, activation.Class.Declaration);
        }

        var grain = activation.Class.Construct(activation, states);
        if (grain is IJournaledGrain journaled)
        {
            _journal = journaled.Attach(activation);
            if (_journal.Replica is { } replica)
            {
                RegisterReplica(replica);
            }

            _journal.Start();
        }

        if (grain is ILatticeGrain lattice)
        {
            (_rest ??= new()).Lattice = lattice.Attach(activation);
        }

        if (!activation.Class.IsReplica)
        {
            await grain.OnActivateAsync(cancellationToken);
        }

        Grain = grain;
    }

    /// <summary>Ends the grain in order.</summary>
    public async Task EndAsync(DeactivationReason reason, CancellationToken cancellationToken)
    {
        Timers.Close();
        if (Grain is not null && !activation.Class.IsReplica)
        {
            EmbeddedMetrics.Deactivated.Add(1, new KeyValuePair<string, object?>("reason", reason.ReasonCode));
            try
            {
                await Grain.OnDeactivateAsync(reason, cancellationToken);
            }
            catch (Exception e)
            {
                RuntimeLog.DeactivationFailed(Silo.Logger, e, activation.Key);
            }
        }

        await LetGoOfTheRestAsync(cancellationToken);
    }

    /// <summary>
    /// Cuts off what the grain's code, which goes on, could still do to others: its stored states refuse, and it receives nothing. On any
    /// thread.
    /// </summary>
    public void CutOff()
    {
        foreach (var state in _rest?.States ?? [])
        {
            state.Close();
        }

        // At once, for the next instance registers too, and this one's scheduler may never come to it.
        UnregisterReplica();
    }

    /// <summary>Why nobody is to wait for the view any more; null while one may.</summary>
    public GeoOutcomeUnknownException? Lost { get; private set; }

    /// <summary>
    /// The grain may have a successor by now: whoever waits for the view, or is to, is told that the outcome is not known, and what was
    /// raised has less time to be confirmed.
    /// </summary>
    public void Lose(GeoOutcomeUnknownException reason)
    {
        // One that is being activated has answered nobody: it goes on to what finds out that it is elsewhere. One that ends waits for its
        // last confirm.
        if (Grain is not null && !_isEnding)
        {
            Lost = reason;
            _journal?.GiveUpWaits(reason);
        }
    }

    /// <summary>Lets go of what an instance holds that was ended from outside, when its scheduler comes to it.</summary>
    public async Task LetGoAsync()
    {
        try
        {
            Timers.Close();
            await LetGoOfTheRestAsync(new CancellationToken(canceled: true));
        }
        catch (Exception e)
        {
            RuntimeLog.DeactivationFailed(Silo.Logger, e, activation.Key);
        }
    }

    private async Task LetGoOfTheRestAsync(CancellationToken cancellationToken)
    {
        await EndJournalAsync(cancellationToken);
        _rest?.Lattice?.Dispose();
        if (_rest?.Scope is { } scope)
        {
            await scope.DisposeAsync();
        }
    }

    private async Task EndJournalAsync(CancellationToken cancellationToken)
    {
        if (_journal is null)
        {
            return;
        }

        _isEnding = true;
        if (_journal.UnconfirmedCount > 0)
        {
            // Its successor waits for the row, and writes what it writes to.
            var limit = Silo.Options.DeactivationTimeout;
            limit = Lost is not null && Silo.Options.Quorum.LeaseDuration < limit ? Silo.Options.Quorum.LeaseDuration : limit;
            using var patience = new CancellationTokenSource(limit, Silo.Time);
            using var both = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, patience.Token);
            try
            {
                await _journal.ConfirmAsync(both.Token);
            }
            catch (Exception e)
            {
                JournalLog.EndedUnconfirmed(Silo.Logger, e, activation.Key, _journal.UnconfirmedCount, limit.TotalSeconds);
            }
        }

        UnregisterReplica();
        await _journal.DisposeAsync();
    }

    /// <summary>An instance that was given up meanwhile must not stand in the way of the next one.</summary>
    private void RegisterReplica(IReplica replica)
    {
        // Whoever cuts it off has said that it closes before: either that is seen here, or the registration is seen there.
        lock (this)
        {
            if (activation.Turns.IsClosing)
            {
                throw new OperationCanceledException($"{activation.Key} was given up before it was active.");
            }

            _replicaRegistration = Silo.Replicas.Register(activation.Key, replica, activation.Scheduler, Silo.Leave);
        }
    }

    private void UnregisterReplica()
    {
        IDisposable? registration;
        lock (this)
        {
            registration = _replicaRegistration;
        }

        registration?.Dispose();
    }

    private void Distrust(string why, Exception cause) =>
        activation.Deactivate(new DeactivationReason(DeactivationReasonCode.ApplicationError, why, cause));

    /// <summary>What few grains have.</summary>
    private sealed class Rest
    {
        internal IStoredState[] States { get; init; } = [];

        internal IDisposable? Lattice { get; set; }

        internal AsyncServiceScope? Scope { get; set; }
    }
}
