using Orleans.Concurrency;
using Orleans.Streams;

namespace Geo.Orleans.Tests.Features.Grains;

/// <summary>A single-instance grain that uses what Orleans offers to grains.</summary>
public interface IRoamer : IGrainWithStringKey
{
    Task<string> Where();

    Task End();

    /// <summary>Asks an ordinary grain where it is.</summary>
    Task<string> Visit(IResident resident);

    /// <summary>Keeps a reference in the shared storage.</summary>
    Task Remember(IResident resident);

    /// <summary>Asks the ordinary grain whose reference is kept where it is.</summary>
    Task<string> VisitRemembered();

    Task<IResident> Remembered();

    /// <summary>Keeps a reference of a single-instance grain in the shared storage.</summary>
    Task RememberRoamer(IRoamer roamer);

    Task<IRoamer> RememberedRoamer();

    /// <summary>Calls another grain that calls back, which this grain lets in while it waits or not.</summary>
    Task<string> RoundTrip(IRoamer other, bool reentrant);

    Task<string> CallBack(IRoamer caller);

    /// <summary>Asks a grain with an instance in each cluster where it is.</summary>
    Task<string> VisitInEachCluster(IEverywhere everywhere);

    /// <summary>Sums up a sequence of an ordinary grain.</summary>
    Task<int> Sum(IResident resident, int to);

    /// <summary>Waits until the test lets it end.</summary>
    Task Hold(string name);

    [ReadOnly]
    Task HoldReading(string name);

    [AlwaysInterleave]
    Task<string> WhereAlways();

    [ReadOnly]
    Task<string> WhereReading();

    /// <summary>Interleaves where the class says so.</summary>
    Task<string> WhereMay();

    /// <summary>Starts a timer that ticks every 50 ms.</summary>
    Task StartTimer();

    /// <summary>Asks Orleans to move the activation to a silo, which may be one of another cluster.</summary>
    Task MoveTo(SiloAddress silo);

    /// <summary>Asks for a state by code, in the default storage.</summary>
    Task AskForState();

    Task Subscribe(string stream);

    Task Publish(string stream, int number);

    /// <summary>Publishes on a stream that it is handed.</summary>
    Task PublishOn(IAsyncStream<int> stream, int number);

    /// <summary>Publishes on the broadcast channel of its own key.</summary>
    Task Broadcast(string channel, int number);

    /// <summary>Adds to two ordinary grains in one transaction.</summary>
    Task Transfer(string from, string to, int amount);
}
