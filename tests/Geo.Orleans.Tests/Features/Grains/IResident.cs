namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>An ordinary grain, of which each cluster has its own.</summary>
public interface IResident : IGrainWithStringKey
{
    /// <summary>The cluster and the key.</summary>
    Task<string> Where();

    /// <summary>Hands itself to a single-instance grain, which calls back.</summary>
    Task<string> Receive(IRoamer visitor);

    /// <summary>Hands what it was given on to a single-instance grain.</summary>
    Task<string> Introduce(IResident other, IRoamer visitor);

    /// <summary>The numbers from 1.</summary>
    IAsyncEnumerable<int> Count(int to);

    /// <summary>Starts a timer that ticks every 50 ms.</summary>
    Task StartTimer();

    Task Subscribe(string stream);

    Task<int[]> Heard();
}
