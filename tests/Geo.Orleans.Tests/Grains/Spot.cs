using System.Collections.Concurrent;
using Microsoft.Extensions.Options;
using Orleans.Runtime.Placement;

namespace Geo.Orleans.Tests.Grains;

/// <summary>An optimistic single-instance grain.</summary>
[GlobalSingleInstance]
public sealed class Spot(IOptions<GeoOrleansOptions> options) : Grain, ISpot, IGrainMigrationParticipant
{
    /// <summary>Every activation that loaded its state, by key: all silos of the tests run in this process.</summary>
    public static readonly ConcurrentDictionary<string, ConcurrentBag<Whereabouts>> Activations = new();

    private readonly Whereabouts _here = new(options.Value.ClusterId, Guid.NewGuid());
    private int _sum;

    public override Task OnActivateAsync(CancellationToken cancellationToken)
    {
        Activations.GetOrAdd(this.GetPrimaryKeyString(), _ => []).Add(_here);
        return Task.CompletedTask;
    }

    public Task<Whereabouts> Where() => Task.FromResult(_here);

    public Task<int> Add(int amount) => Task.FromResult(_sum += amount);

    public ValueTask<(string Text, int Number)> Pair(string text, int number) => new((text, number));

    public Task<int> Measure(byte[] bytes) => Task.FromResult(bytes.Length);

    public Task Nothing() => Task.CompletedTask;

    public Task Fail(string message) => throw new InvalidOperationException(message);

    public Task FailWithoutValue() => throw new GeoUnavailableException("the grain's own");

    public Task<string?> Context(string key) => Task.FromResult(RequestContext.Get(key) as string);

    public Task AddAndForget(int amount) => Add(amount);

    public Task<Whereabouts> Follow(ISpot other) => other.Where();

    public async IAsyncEnumerable<int> Count(int to)
    {
        for (var i = 1; i <= to; i++)
        {
            await Task.Yield();
            yield return i;
        }
    }

    public Task End()
    {
        DeactivateOnIdle();
        return Task.CompletedTask;
    }

    public Task MoveTo(SiloAddress silo)
    {
        RequestContext.Set(IPlacementDirector.PlacementHintKey, silo);
        MigrateOnIdle();
        return Task.CompletedTask;
    }

    public void OnDehydrate(IDehydrationContext dehydrationContext) => dehydrationContext.TryAddValue(nameof(_sum), _sum);

    public void OnRehydrate(IRehydrationContext rehydrationContext) => rehydrationContext.TryGetValue(nameof(_sum), out _sum);
}
