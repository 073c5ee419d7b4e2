using System.Collections.Concurrent;

namespace Geo;

/// <summary>Gives what a host's silo says of itself to those who ask, while there is a silo.</summary>
internal sealed class StatusReader : IGeoStatus
{
    private volatile Silo? _silo;

    /// <summary>The silo has started.</summary>
    /// <param name="read">Its snapshot.</param>
    /// <param name="stores">Its stores by name, as there are at the time.</param>
    /// <param name="time">The clock.</param>
    public void Begin(Func<SiloReport> read, Func<IEnumerable<KeyValuePair<string, IConditionalStore>>> stores, TimeProvider time) =>
        _silo = new(read, stores, time);

    /// <summary>The silo stops.</summary>
    public void End() => _silo = null;

    public SiloReport? Read() => _silo?.Read();

    public async ValueTask<IReadOnlyList<StoreAnswer>> AskStoresAsync(
        TimeSpan timeout, CancellationToken cancellationToken = default) =>
        _silo is { } silo ? await Task.WhenAll(silo.Probes().Select(probe => probe.AskAsync(timeout, cancellationToken))) : [];

    private sealed record Silo(
        Func<SiloReport> Read, Func<IEnumerable<KeyValuePair<string, IConditionalStore>>> Stores, TimeProvider Time)
    {
        private readonly ConcurrentDictionary<string, StoreProbe> _probes = new(StringComparer.Ordinal);

        public IEnumerable<StoreProbe> Probes() => Stores().OrderBy(store => store.Key, StringComparer.Ordinal)
            .Select(store => _probes.GetOrAdd(store.Key, name => new StoreProbe(name, store.Value, Time)));
    }
}
