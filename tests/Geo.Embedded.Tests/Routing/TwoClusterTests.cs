using System.Collections.Concurrent;
using Geo.Directory;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Embedded.Tests;

public sealed class Census
{
    public ConcurrentDictionary<string, int> Active { get; } = new();

    public ConcurrentBag<string> Duplicates { get; } = [];
}

public interface IWitness : IGrainWithStringKey
{
    Task<string> Where();

    Task<string> Fail(string how);

    Task<string> Wait(CancellationToken cancellationToken);

    Task WaitAs(string name, CancellationToken cancellationToken);

    Task<string?> Context(string name);

    Task<bool> Saw(string what);

    [OneWay]
    Task Tell(string what);

    Task Leave();
}

public sealed class DeclaredException : Exception
{
    public DeclaredException()
    {
    }

    public DeclaredException(string message)
        : base(message)
    {
    }

    public DeclaredException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}

public sealed class UndeclaredException(string message) : Exception(message);

[GlobalSingleInstance]
public sealed class WitnessGrain(Census census) : Grain, IWitness
{
    private readonly HashSet<string> _seen = [];

    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        if (census.Active.AddOrUpdate(this.GetPrimaryKeyString(), 1, (_, n) => n + 1) > 1)
        {
            census.Duplicates.Add(this.GetPrimaryKeyString());
        }

        return Task.CompletedTask;
    }

    public override Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken)
    {
        census.Active.AddOrUpdate(this.GetPrimaryKeyString(), 0, (_, n) => n - 1);
        return Task.CompletedTask;
    }

    public Task<string> Where() => Task.FromResult(RuntimeIdentity.Split('/')[0]);

    public Task<string> Fail(string how) => how switch
    {
        "declared" => throw new DeclaredException("declared", new InvalidOperationException("cause")),
        "undeclared" => throw new UndeclaredException("undeclared"),
        _ => throw new ArgumentException("ordinary"),
    };

    public async Task<string> Wait(CancellationToken cancellationToken)
    {
        _seen.Add("waiting");
        try
        {
            await Task.Delay(TimeSpan.FromMinutes(1), cancellationToken);
        }
        catch (OperationCanceledException)
        {
            _seen.Add("cancelled");
            throw;
        }

        return "waited";
    }

    public Task WaitAs(string name, CancellationToken cancellationToken)
    {
        _seen.Add(name);
        return Task.Delay(TimeSpan.FromMinutes(1), cancellationToken);
    }

    public Task<string?> Context(string name)
    {
        var value = RequestContext.Get(name)?.ToString();
        RequestContext.Set(name, "changed");
        return Task.FromResult(value);
    }

    [AlwaysInterleave]
    public Task<bool> Saw(string what) => Task.FromResult(_seen.Contains(what));

    public Task Tell(string what)
    {
        _seen.Add(what);
        return Task.CompletedTask;
    }

    public Task Leave()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }
}

public sealed class TwoClusterTests
{
    private readonly Census _census = new();

    [Fact]
    public async Task First_calls_from_both_clusters_at_once_make_one_instance()
    {
        await using var clusters = await StartAsync();
        var keys = Enumerable.Range(0, 100).Select(i => $"k{i}").ToArray();
        var calls = keys.Select(async key =>
        {
            var answers = await Task.WhenAll(
                clusters.Us.Grains.GetGrain<IWitness>(key).Where(), clusters.Eu.Grains.GetGrain<IWitness>(key).Where(),
                clusters.Eu.Grains.GetGrain<IWitness>(key).Where(), clusters.Us.Grains.GetGrain<IWitness>(key).Where());
            return answers.Distinct().Count();
        });
        Assert.All(await Task.WhenAll(calls), count => Assert.Equal(1, count));
        Assert.Empty(_census.Duplicates);
        Assert.Equal(100, clusters.Us.Silo.ActivationCount + clusters.Eu.Silo.ActivationCount);
    }

    [Fact]
    public async Task When_the_owner_deactivates_the_grain_the_next_caller_takes_it_over()
    {
        await using var clusters = await StartAsync();
        var fromEu = clusters.Eu.Grains.GetGrain<IWitness>("a");
        Assert.Equal("us", await clusters.Us.Grains.GetGrain<IWitness>("a").Where());
        Assert.Equal("us", await fromEu.Where());
        await fromEu.Leave();
        await Eventually.HoldsAsync(() => clusters.Us.Silo.ActivationCount == 0, "us has let go");
        Assert.Equal("eu", await fromEu.Where());
        Assert.Equal("eu", await clusters.Us.Grains.GetGrain<IWitness>("a").Where());
        Assert.Empty(_census.Duplicates);
    }

    [Fact]
    public async Task When_the_owner_s_cluster_stops_the_other_takes_the_grain_over()
    {
        await using var clusters = await StartAsync();
        var fromEu = clusters.Eu.Grains.GetGrain<IWitness>("a");
        await clusters.Us.Grains.GetGrain<IWitness>("a").Where();
        Assert.Equal("us", await fromEu.Where());
        await clusters.Us.DisposeAsync();
        Assert.Equal("eu", await fromEu.Where());
        Assert.Empty(_census.Duplicates);
    }

    [Fact]
    public async Task An_operator_lists_moves_and_releases_grains()
    {
        await using var clusters = await StartAsync();
        var ended = TestContext.Current.CancellationToken;
        var witness = clusters.Us.Grains.GetGrain<IWitness>("a");
        Assert.Equal("us", await witness.Where());
        var administration = clusters.Us.Silo.Administration;

        var row = Assert.Single((await administration.ListAsync(new() { State = GsiState.Owned }, ended)).Rows);
        Assert.Equal("a", row.Key.Key);
        Assert.True(await administration.MoveAsync(row.Key, new ClusterId("eu"), "the operator says so", ended));
        Assert.Equal("eu", await witness.Where());

        Assert.Null((await administration.InspectAsync(row.Key, ended))?.Silo);
        Assert.False(await administration.ReleaseAsync(row.Key, "it is not here", ended));
        Assert.True(await clusters.Eu.Silo.Administration.ReleaseAsync(row.Key, "the operator says so", ended));
        Assert.Equal("us", await witness.Where());
        Assert.Empty(_census.Duplicates);
    }

    [Fact]
    public async Task Moving_a_grain_back_and_forth_under_load_never_makes_two()
    {
        await using var clusters = await StartAsync();
        var calls = Enumerable.Range(0, 400).Select(i =>
        {
            var witness = (i % 2 == 0 ? clusters.Us : clusters.Eu).Grains.GetGrain<IWitness>($"k{i % 5}");
            return i % 10 < 2 ? witness.Leave() : witness.Where();
        }).ToArray();
        foreach (var call in calls)
        {
            // A call may lose its way while the grain moves; then it certainly was not executed.
            await call.ContinueWith(
                t => Assert.True(
                    t.IsCompletedSuccessfully || t.Exception!.InnerException is GeoUnavailableException, t.Exception?.ToString()),
                TaskScheduler.Default);
        }

        Assert.Empty(_census.Duplicates);
        Assert.True(
            calls.Count(c => c.IsCompletedSuccessfully) > 350,
            string.Join('\n', calls.Where(c => c.IsFaulted).Select(c => c.Exception!.InnerException!.Message).Distinct().Take(10)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Exceptions_cross_clusters_as_themselves_where_their_type_is_declared(bool fromClient)
    {
        await using var clusters = await StartAsync();
        await clusters.Us.Grains.GetGrain<IWitness>("a").Where();
        await using var client = await clusters.Eu.ConnectClientAsync();
        var witness = (fromClient ? client : clusters.Eu.Grains).GetGrain<IWitness>("a");
        var ordinary = await Assert.ThrowsAsync<ArgumentException>(() => witness.Fail("ordinary"));
        Assert.Equal("ordinary", ordinary.Message);
        Assert.Contains(nameof(WitnessGrain), ordinary.StackTrace, StringComparison.Ordinal);
        var undeclared = await Assert.ThrowsAsync<GeoRemoteException>(() => witness.Fail("undeclared"));
        Assert.Equal((typeof(UndeclaredException).FullName, "undeclared"), (undeclared.RemoteType, undeclared.RemoteMessage));
        if (!fromClient)
        {
            var declared = await Assert.ThrowsAsync<DeclaredException>(() => witness.Fail("declared"));
            Assert.Equal("cause", Assert.IsType<InvalidOperationException>(declared.InnerException).Message);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Cancellation_crosses_clusters(bool fromClient)
    {
        await using var clusters = await StartAsync();
        var local = clusters.Us.Grains.GetGrain<IWitness>("a");
        await local.Where();
        await using var client = await clusters.Eu.ConnectClientAsync();
        using var cancellation = new CancellationTokenSource();
        var call = (fromClient ? client : clusters.Eu.Grains).GetGrain<IWitness>("a").Wait(cancellation.Token);
        await Eventually.HoldsAsync(() => local.Saw("waiting"), "the grain waits");
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await Eventually.HoldsAsync(() => local.Saw("cancelled"), "the grain sees the cancellation");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_call_that_is_cancelled_before_its_turn_is_not_executed_and_leaves_nothing_behind(bool fromClient)
    {
        await using var clusters = await StartAsync();
        var local = clusters.Us.Grains.GetGrain<IWitness>("a");
        using var holding = new CancellationTokenSource();
        var held = local.Wait(holding.Token);
        await Eventually.HoldsAsync(() => local.Saw("waiting"), "the grain is busy");
        await using var client = await clusters.Eu.ConnectClientAsync();
        using var waiting = new CancellationTokenSource();
        var call = (fromClient ? client : clusters.Eu.Grains).GetGrain<IWitness>("a").WaitAs("second", waiting.Token);
        var us = (GeoSilo)clusters.Us.Silo;
        await Eventually.HoldsAsync(() => us.CancellableCalls == 1, "the call waits for its turn");
        await waiting.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await Eventually.HoldsAsync(() => us.IsAnyCancelled, "the cancellation has arrived");
        await holding.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => held);
        Assert.Equal("us", await clusters.Eu.Grains.GetGrain<IWitness>("a").Where());
        Assert.False(await local.Saw("second"));
        await Eventually.HoldsAsync(() => us.CancellableCalls == 0, "the call has left nothing behind");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_request_context_crosses_clusters_and_does_not_come_back(bool fromClient)
    {
        await using var clusters = await StartAsync();
        await clusters.Us.Grains.GetGrain<IWitness>("a").Where();
        await using var client = await clusters.Eu.ConnectClientAsync();
        var witness = (fromClient ? client : clusters.Eu.Grains).GetGrain<IWitness>("a");
        RequestContext.Set("trace", 42L);
        Assert.Equal("42", await witness.Context("trace"));
        Assert.Equal(42L, RequestContext.Get("trace"));
        RequestContext.Clear();
        Assert.Null(await witness.Context("trace"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_one_way_call_crosses_clusters(bool fromClient)
    {
        await using var clusters = await StartAsync();
        var local = clusters.Us.Grains.GetGrain<IWitness>("a");
        await local.Where();
        await using var client = await clusters.Eu.ConnectClientAsync();
        await (fromClient ? client : clusters.Eu.Grains).GetGrain<IWitness>("a").Tell("news");
        await Eventually.HoldsAsync(() => local.Saw("news"), "the news arrived");
    }

    [Fact]
    public async Task A_context_value_of_another_type_does_not_travel_and_says_so()
    {
        await using var clusters = await StartAsync();
        await clusters.Us.Grains.GetGrain<IWitness>("a").Where();
        await clusters.Eu.Grains.GetGrain<IWitness>("a").Where();
        RequestContext.Set("odd", new Box());
        var error = await Assert.ThrowsAsync<GeoSerializationException>(() => clusters.Eu.Grains.GetGrain<IWitness>("a").Where());
        Assert.Contains("'odd'", error.Message, StringComparison.Ordinal);
    }

    private Task<TwoClusters> StartAsync() => TwoClusters.StartAsync(
        geo => geo.AddGrain<WitnessGrain>().AddException<DeclaredException>(), s => s.AddSingleton(_census));
}
