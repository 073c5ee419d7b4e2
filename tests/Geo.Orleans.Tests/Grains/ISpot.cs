using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A single-instance grain that tells where it is and does what callers can do with a grain.</summary>
public interface ISpot : IGrainWithStringKey
{
    /// <summary>The cluster and the activation that answer.</summary>
    Task<Whereabouts> Where();

    Task<int> Add(int amount);

    ValueTask<(string Text, int Number)> Pair(string text, int number);

    /// <summary>The length of what arrived.</summary>
    Task<int> Measure(byte[] bytes);

    Task Nothing();

    Task Fail(string message);

    Task FailWithoutValue();

    Task<string?> Context(string key);

    [OneWay]
    Task AddAndForget(int amount);

    Task<Whereabouts> Follow(ISpot other);

    IAsyncEnumerable<int> Count(int to);

    Task End();

    /// <summary>Moves the activation to another silo of its cluster.</summary>
    Task MoveTo(SiloAddress silo);
}
