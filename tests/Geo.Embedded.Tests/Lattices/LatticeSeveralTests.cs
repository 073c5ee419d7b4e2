using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Geo.Consistency;
using Geo.Consistency.Lattices;

namespace Geo.Embedded.Tests.Lattices;

/// <summary>Coordination-free grains of which a silo has several activations (PerSilo).</summary>
public sealed class LatticeSeveralTests
{
    private static readonly ConcurrentDictionary<string, Gate> Gates = new();

    [Fact]
    public async Task A_hot_grain_is_served_by_as_many_activations_as_its_class_says_and_they_share_one_state()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Stand>());
        var gate = Gates.GetOrAdd("hot", static _ => new());
        var stand = us.Grains.GetGrain<IStand>("hot");
        Task<string>[] calls = [.. Enumerable.Range(0, 5).Select(_ => stand.EnterAndWait("hot"))];
        await Eventually.HoldsAsync(() => gate.Inside == 3, "three activations serve");
        Assert.Equal(3, us.Silo.ActivationCount);
        Assert.Equal(3, gate.Inside);
        gate.Opened.SetResult();
        Assert.Equal(3, (await Task.WhenAll(calls)).Distinct().Count());
        Assert.Equal(5, gate.Inside);
        Assert.Equal(5, await stand.Visitors());
    }

    [Fact]
    public async Task A_grain_that_is_not_hot_has_one_activation()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Stand>());
        Gates.GetOrAdd("calm", static _ => new()).Opened.SetResult();
        var served = new HashSet<string>();
        for (var i = 0; i < 10; i++)
        {
            served.Add(await us.Grains.GetGrain<IStand>("calm").EnterAndWait("calm"));
        }

        Assert.Single(served);
        Assert.Equal(1, us.Silo.ActivationCount);
    }

    [Fact]
    public async Task Who_has_its_answer_and_calls_again_needs_no_further_activation_though_the_first_call_is_about_to_end()
    {
        using var goOn = new ManualResetEventSlim();
        using var meters = new MeterListener
        {
            InstrumentPublished = static (instrument, meters) =>
            {
                if (instrument == EmbeddedMetrics.CallDuration)
                {
                    meters.EnableMeasurementEvents(instrument);
                }
            },
        };

        // Measured when the caller has its answer and the turn has not ended.
        meters.SetMeasurementEventCallback<double>((_, _, tags, _) =>
        {
            foreach (var tag in tags)
            {
                if (tag.Value is string type && type.EndsWith(nameof(Booth), StringComparison.Ordinal))
                {
                    goOn.Wait(TimeSpan.FromSeconds(30));
                }
            }
        });
        meters.Start();
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Booth>());
        var booth = us.Grains.GetGrain<IBooth>("booth");
        var first = await booth.Enter();
        var second = booth.Enter();
        Assert.Equal(1, us.Silo.ActivationCount);
        goOn.Set();
        Assert.Equal(first, await second);
    }

    [Fact]
    public async Task Further_activations_end_when_they_are_idle()
    {
        await using var us = await TestSilo.StartAsync(
            "us",
            geo =>
            {
                geo.AddGrain<Stand>();
                geo.Configure(options => options.IdleDeactivation = TimeSpan.FromMilliseconds(100));
            });
        var gate = Gates.GetOrAdd("idle", static _ => new());
        Task<string>[] calls = [.. Enumerable.Range(0, 3).Select(_ => us.Grains.GetGrain<IStand>("idle").EnterAndWait("idle"))];
        await Eventually.HoldsAsync(() => gate.Inside == 3, "three activations serve");
        gate.Opened.SetResult();
        await Task.WhenAll(calls);
        await Eventually.HoldsAsync(() => us.Silo.ActivationCount == 0, "all have ended");
        Assert.Equal(3, await us.Grains.GetGrain<IStand>("idle").Visitors());
    }

    [Fact]
    public async Task A_session_sees_at_every_activation_what_it_wrote_at_another()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Stand>());
        var gate = Gates.GetOrAdd("session", static _ => new());
        var stand = us.Grains.GetGrain<IStand>("session");
        var (token, first) = await stand.Note("first");
        var waiting = stand.EnterAndWait("session");
        await Eventually.HoldsAsync(() => gate.Inside == 1, "the first activation is busy");
        SessionContext.Token = token;
        var (read, second) = await stand.ReadNote();
        Assert.Equal("first", read);
        gate.Opened.SetResult();
        Assert.Equal(first, await waiting);
        Assert.NotEqual(first, second);
    }

    /// <summary>Both activations have one call: one will be free soon, and the other waits for this very call.</summary>
    [Fact]
    public async Task A_grain_that_calls_itself_does_not_wait_for_itself_while_another_activation_comes_free()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Mirror>());
        var (gate, other) = (Gates.GetOrAdd("mirror", static _ => new()), Gates.GetOrAdd("mirror-other", static _ => new()));
        var mirror = us.Grains.GetGrain<IMirror>("mirror");
        var reflects = mirror.Reflect("mirror");
        await Eventually.HoldsAsync(() => gate.Inside == 1, "the first activation is busy");
        var waits = mirror.Wait("mirror-other");
        await Eventually.HoldsAsync(() => other.Inside == 1, "the second activation is busy");
        gate.Opened.SetResult();
        await Eventually.HoldsAsync(() => Mirror.Reflections == 1, "it calls itself");
        other.Opened.SetResult();
        await waits;
        await reflects.WaitAsync(TimeSpan.FromSeconds(5), TestContext.Current.CancellationToken);
    }

    public interface IMirror : IGrainWithStringKey
    {
        Task Reflect(string gate);

        Task Wait(string gate);

        Task Nothing();
    }

    [CoordinationFree(PerSilo = 2)]
    public sealed class Mirror : LatticeGrain<PnCounter>, IMirror
    {
        private static int _reflections;

        public static int Reflections => Volatile.Read(ref _reflections);

        public async Task Reflect(string gate)
        {
            await Gates[gate].EnterAsync();
            var reflected = GrainFactory.GetGrain<IMirror>(Key.Key).Nothing();
            Interlocked.Increment(ref _reflections);
            await reflected;
        }

        public Task Wait(string gate) => Gates[gate].EnterAsync();

        public Task Nothing() => Task.CompletedTask;
    }

    [Fact]
    public async Task A_journaled_class_may_have_several_activations_too()
    {
        await using var us = await TestSilo.StartAsync("us", geo => geo.AddGrain<Poll>());
        var gate = Gates.GetOrAdd("poll", static _ => new());
        Task[] calls = [.. Enumerable.Range(0, 2).Select(_ => us.Grains.GetGrain<IPoll>("poll").Vote("poll"))];
        await Eventually.HoldsAsync(() => gate.Inside == 2, "both activations serve");
        gate.Opened.SetResult();
        await Task.WhenAll(calls);
        Assert.Equal(2, await us.Grains.GetGrain<IPoll>("poll").Votes());
    }

    [Fact]
    public void Less_than_one_activation_is_refused_at_start() => Assert.Contains(
        "PerSilo", Assert.Throws<GeoConfigurationException>(() => new GrainClass(typeof(Nobody))).Message, StringComparison.Ordinal);

    public interface IStand : IGrainWithStringKey
    {
        Task<string> EnterAndWait(string gate);

        Task<long> Visitors();

        Task<(SessionToken Token, string By)> Note(string text);

        Task<(string Text, string By)> ReadNote();
    }

    public interface IBooth : IGrainWithStringKey
    {
        Task<string> Enter();
    }

    public interface IPoll : IGrainWithStringKey
    {
        Task Vote(string gate);

        Task<long> Votes();
    }

    [CoordinationFree(PerSilo = 3, Level = ConsistencyLevel.Causal)]
    public sealed class Stand : LatticeGrain<Pair<PnCounter, LwwRegister<string>>>, IStand
    {
        private readonly string _name = Guid.NewGuid().ToString();

        public async Task<string> EnterAndWait(string gate)
        {
            Update((state, origin) => new(state.First.Add(origin.Source, 1), LwwRegister<string>.Bottom));
            await Gates[gate].EnterAsync();
            return _name;
        }

        public Task<long> Visitors() => Task.FromResult(State.First.Value);

        public async Task<(SessionToken Token, string By)> Note(string text)
        {
            var session = OpenSession();
            await session.UpdateAsync(
                Key,
                (Pair<PnCounter, LwwRegister<string>> _, LatticeOrigin origin) =>
                    new(PnCounter.Bottom, LwwRegister<string>.Of(origin.NextStamp(), text)));
            return (session.Token, _name);
        }

        public async Task<(string Text, string By)> ReadNote() => (
            await OpenSession().ReadAsync(Key, (Pair<PnCounter, LwwRegister<string>> state) => state.Second.Value), _name);
    }

    [CoordinationFree(PerSilo = 2)]
    public sealed class Booth : LatticeGrain<PnCounter>, IBooth
    {
        private readonly string _name = Guid.NewGuid().ToString();

        public async Task<string> Enter()
        {
            await Task.Yield();
            return _name;
        }
    }

    public sealed record Voted(int Votes);

    public sealed class PollState : LatticeState<PnCounter>
    {
        public void Apply(Voted voted) => Update((state, origin) => state.Add(origin.Source, voted.Votes));
    }

    [CoordinationFree(PerSilo = 2)]
    public sealed class Poll : JournaledGrain<PollState, Voted>, IPoll
    {
        public async Task Vote(string gate)
        {
            RaiseEvent(new Voted(1));
            await Gates[gate].EnterAsync();
        }

        public Task<long> Votes() => Task.FromResult(State.Value.Value);
    }

    [CoordinationFree(PerSilo = 0)]
    private sealed class Nobody : LatticeGrain<PnCounter>, IPoll
    {
        public Task Vote(string gate) => Task.CompletedTask;

        public Task<long> Votes() => Task.FromResult(0L);
    }

    private sealed class Gate
    {
        private int _inside;

        public TaskCompletionSource Opened { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public int Inside => Volatile.Read(ref _inside);

        public Task EnterAsync()
        {
            Interlocked.Increment(ref _inside);
            return Opened.Task;
        }
    }
}
