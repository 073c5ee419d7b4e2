using Geo.Embedded;

namespace Geo.Testing;

/// <summary>A silo of a simulated cluster, through all its starts.</summary>
public sealed class SimulatedSilo
{
    // A host kills a silo that takes longer than this to stop.
    private static readonly TimeSpan MaxStopTime = TimeSpan.FromSeconds(3);

    // How soon its supervisor starts a process anew that has ended by itself, and tries again where it does not start.
    private static readonly TimeSpan RestartPause = TimeSpan.FromMilliseconds(500);

    private SimulationLane? _supervisor;
    private int _orders;
    private int _incarnations;
    private int _pointsLeft;
    private int _freezes;

    internal SimulatedSilo(SimulatedCluster cluster, int slot) => (Cluster, Name) = (cluster, $"{cluster.Id}/{slot}");

    /// <summary>The silo's cluster.</summary>
    public SimulatedCluster Cluster { get; }

    /// <summary>The cluster's name and the place in it.</summary>
    public string Name { get; }

    /// <summary>When the silo last stopped being frozen; null while it never was.</summary>
    public TimeSpan? ThawedAt { get; private set; }

    /// <summary>True between <see cref="Freeze"/> and <see cref="Thaw"/>.</summary>
    public bool IsFrozen => Present is { Lane.IsFrozen: true };

    /// <summary>True while it serves: between the end of a start and the beginning of a stop, or a crash.</summary>
    public bool IsUp => Present is { IsServing: true };

    /// <summary>References to grains, whose calls are made within this silo; start them with <see cref="RunAsync"/>.</summary>
    /// <exception cref="InvalidOperationException">The silo is down.</exception>
    public IGrainFactory Grains => Serving.Grains;

    /// <summary>The host's services.</summary>
    /// <exception cref="InvalidOperationException">The silo is down.</exception>
    public IServiceProvider Services => Serving.Services;

    /// <summary>What is wrong with the machine's clocks.</summary>
    public SiloClock Clock => field ??= new SiloClock(Cluster.World.Time);

    /// <summary>The clusters that this silo's configuration names, itself included; all of the world when null.</summary>
    public IReadOnlyList<ClusterId>? Configuration { get; set; }

    /// <summary>True between <see cref="Unlink"/> and <see cref="Link"/>.</summary>
    internal bool IsUnlinked => Present?.Messenger is { IsUnlinked: true };

    /// <summary>How long the silo's lease lasts, as a multiple of what the cluster's silos have by their options; 1 at first.</summary>
    internal double LeaseFactor { get; set; } = 1;

    /// <summary>True where the other silos of the cluster have declared it dead and it still runs, or stands still.</summary>
    internal bool IsDeclaredDead { get; private set; }

    /// <summary>The present life; null before the first start and while it is down.</summary>
    internal SiloIncarnation? Present { get; private set; }

    private SiloIncarnation Serving => Present is { IsServing: true } serving ? serving
        : throw new InvalidOperationException($"Silo {Name} is down; start it first.");

    /// <summary>Starts the silo, as a new process does; ends when it serves, or has crashed meanwhile.</summary>
    /// <exception cref="GeoConfigurationException">The host refuses to start.</exception>
    public Task StartAsync()
    {
        _orders++;
        return Present is null ? BeginAsync() : throw new InvalidOperationException($"Silo {Name} is up; stop or crash it first.");
    }

    private async Task BeginAsync()
    {
        Cluster.BeginsToStart();
        var starting = Present = new SiloIncarnation(this, Cluster.World.Scheduler.CreateLane($"{Name}.{++_incarnations}", this));
        try
        {
            if (await starting.StartAsync())
            {
                Cluster.Changed(this);
                if (starting.HasStoppedItself)
                {
                    StopsItself(starting);
                }
            }
        }
        catch
        {
            Halt(starting);
            throw;
        }
    }

    /// <summary>Stops the silo in order; kills it when that takes more than 3 s.</summary>
    public Task StopAsync()
    {
        _orders++;
        return StopAsync(Serving);
    }

    private async Task StopAsync(SiloIncarnation stopping)
    {
        Cluster.World.Trace.Note($"{stopping.Lane.Name} stops");
        Cluster.World.Counts.Stops++;
        Cluster.Siblings?.Declare(stopping.Lane.Name, SiloState.Leaving);
        var end = stopping.StopAsync();
        await Task.WhenAny(end, Task.Delay(MaxStopTime, Cluster.World.Time));
        Halt(stopping, inOrder: end.IsCompletedSuccessfully);
    }

    /// <summary>Ends the process where it stands: nothing of it runs again. Does nothing when the silo is down.</summary>
    public void Crash()
    {
        _orders++;
        if (Present is { } crashing)
        {
            Cluster.World.Trace.Note($"{crashing.Lane.Name} crashes");
            Cluster.World.Counts.Crashes++;
            Halt(crashing);
        }
    }

    /// <summary>
    /// Lets the silo crash in the moment in which it would send one more message or store operation after a number of them: between any two
    /// steps of a protocol. Null takes it back.
    /// </summary>
    public void CrashAfter(int? points)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(points ?? 0);
        _pointsLeft = (points ?? -1) + 1;
    }

    /// <summary>
    /// Pauses the process: nothing of it runs, and what arrives waits. Does nothing when the silo is down. Where it has siblings they
    /// declare it dead after 1 to 3 s; it then ends when it goes on and learns of that.
    /// </summary>
    /// <param name="stopClock">True where the monotonic clock stands still meanwhile, as on a suspended machine.</param>
    public void Freeze(bool stopClock = false)
    {
        if (Present is { } present && !IsFrozen)
        {
            Cluster.World.Trace.Note($"{present.Lane.Name} freezes{(stopClock ? " with its clock" : "")}");
            Cluster.World.Counts.Freezes++;
            present.Lane.Freeze();
            if (stopClock)
            {
                Clock.Stop();
            }

            var freeze = ++_freezes;
            Cluster.Siblings?.FallsSilent(present.Lane.Name, () => freeze == _freezes && IsFrozen, () =>
            {
                IsDeclaredDead = true;
                Cluster.World.Memories.Ends(this);
            });
        }
    }

    /// <summary>
    /// The other silos of the cluster declare this one dead although it runs, as a membership does whose probes are lost. It goes on, up to
    /// 4 s, until it learns of it, and then its process ends. Does nothing when it is down or has no siblings.
    /// </summary>
    public void Suspect()
    {
        if (Present is { } present && Cluster.Siblings is { } siblings && !IsDeclaredDead)
        {
            Cluster.World.Trace.Note($"{present.Lane.Name} is suspected");
            Cluster.World.Counts.Count("silos wrongly declared dead");
            IsDeclaredDead = true;
            Cluster.World.Memories.Ends(this);
            siblings.Declare(present.Lane.Name, SiloState.Dead);
            EndOnceItKnows(present, siblings);
        }
    }

    /// <summary>Lets a frozen silo go on. Does nothing when it is not frozen.</summary>
    public void Thaw()
    {
        Clock.GoOn();
        if (Present is { Lane.IsFrozen: true } present)
        {
            Cluster.World.Trace.Note($"{present.Lane.Name} thaws");
            ThawedAt = Cluster.World.Time.Elapsed;
            present.Lane.Thaw();
            Cluster.Siblings?.Witness();
            if (IsDeclaredDead)
            {
                Cluster.World.Counts.Count("silos that woke dead");
                EndOnceItKnows(present, Cluster.Siblings!);
            }
        }
    }

    /// <summary>
    /// Takes the silo's own links to another cluster away, both ways; those of its siblings stay. Does nothing when it is down; a new start
    /// has all links.
    /// </summary>
    public void Unlink(SimulatedCluster other)
    {
        ArgumentNullException.ThrowIfNull(other);
        if (Present?.Messenger is { } messenger)
        {
            Cluster.World.Counts.Count("silos without a link of their own");
            messenger.Unlink(other.Id);
        }
    }

    /// <summary>Gives the silo all its links back, and lets it hear of that.</summary>
    public void Link() => Present?.Messenger?.Link();

    /// <summary>Runs a function within the silo, such as calls through <see cref="Grains"/>.</summary>
    /// <returns>False when the silo has ended before the function: whatever it called may have run.</returns>
    public Task<bool> RunAsync(Func<Task> function) => Serving.RunAsync(function);

    /// <inheritdoc/>
    public override string ToString() => Name;

    internal bool Runs(SimulationLane lane) => Present is { } present && lane.Process == present.Lane;

    /// <summary>A message or store operation is about to leave.</summary>
    internal void ReachPoint(string what)
    {
        if (_pointsLeft > 0 && --_pointsLeft == 0)
        {
            Cluster.World.Trace.Note($"{Name} does not come to {what}");
            Crash();
        }
    }

    /// <summary>
    /// The host was stopped from within. Its process ends in order, and a supervisor starts it anew: unless somebody else stops, starts or
    /// crashes it meanwhile, or its siblings have declared it dead.
    /// </summary>
    internal void StopsItself(SiloIncarnation life)
    {
        if (Present == life && life.IsServing)
        {
            var supervisor = _supervisor ??= Cluster.World.Scheduler.CreateLane($"{Name} supervisor");
            Cluster.World.Time.Schedule(TimeSpan.Zero, () => _ = supervisor.RunAsync(() => SuperviseAsync(life)));
        }
    }

    private async Task SuperviseAsync(SiloIncarnation life)
    {
        if (Present != life || !life.IsServing)
        {
            return;
        }

        if (IsDeclaredDead)
        {
            // It has learnt of it by its fence, before it was told.
            Crash();
            return;
        }

        var orders = _orders;
        Cluster.World.Counts.Count("silos that stopped themselves");
        await StopAsync(life);
        await Cluster.World.PassAsync(RestartPause);
        while (orders == _orders && !Cluster.IsGivenUp)
        {
            try
            {
                await BeginAsync();
                return;
            }
            catch (Exception e) when (e is GeoUnavailableException or GeoConfigurationException)
            {
                Cluster.World.Trace.Note($"{this} does not start: {e.Message}");
                await Cluster.World.PassAsync(RestartPause);
            }
        }
    }

    private void EndOnceItKnows(SiloIncarnation dead, SiblingNetwork siblings) => siblings.Tell(() =>
    {
        if (Present == dead && !IsFrozen)
        {
            Crash();
        }
    });

    private void Halt(SiloIncarnation ending, bool inOrder = false)
    {
        if (Present == ending)
        {
            Cluster.World.Memories.Ends(this);
            Present = null;
            (_pointsLeft, IsDeclaredDead) = (0, false);
            ThawedAt = ending.Lane.IsFrozen ? Cluster.World.Time.Elapsed : ThawedAt;
            ending.Halt();
            Cluster.Ended(ending.Lane.Name);
            Clock.GoOn();
            Cluster.Siblings?.Gone(ending.Lane.Name, inOrder);
            Cluster.Changed(this);
        }
    }
}
