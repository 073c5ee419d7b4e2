using Geo.Experiments.Soak.Stores;

namespace Geo.Experiments.Soak;

/// <summary>What a run is asked for.</summary>
/// <param name="Store">What keeps the books.</param>
/// <param name="Length">How long customers order.</param>
/// <param name="Seed">Decides about faults and orders.</param>
/// <param name="Customers">How many order, all regions together.</param>
/// <param name="StartWithin">How long it may take until a process that is started again serves, starts that fail included.</param>
/// <param name="LogFolder">Where the processes' texts go.</param>
internal sealed record SoakOptions(
    SoakStoreKind Store, TimeSpan Length, int Seed, int Customers, TimeSpan StartWithin, string LogFolder)
{
    /// <summary>How often memory is looked at.</summary>
    public static readonly TimeSpan SampleEvery = TimeSpan.FromSeconds(5);

    /// <summary>The default of <see cref="StartWithin"/>.</summary>
    public static readonly TimeSpan DefaultStartWithin = TimeSpan.FromMinutes(2);

    /// <summary>After the last fault each order must be decided within this time.</summary>
    public static readonly TimeSpan DecidedWithin = TimeSpan.FromMinutes(2);

    /// <summary>The books must be read within this time, through one region.</summary>
    public static readonly TimeSpan ReadWithin = TimeSpan.FromMinutes(2);

    /// <summary>Room for all samples of a process, taken at the beginning: lists that grow would be seen in the slopes.</summary>
    public int RoomForSamples => (int)((Length + StartWithin + DecidedWithin) / SampleEvery) + 1;
}
