using Geo.Directory;

namespace Geo.Testing.Tests;

/// <summary>
/// A row store that does one compare-and-swap of the protocols without the compare: what a writer knew to be in one state is put into
/// another one, whatever it is by now.
/// </summary>
internal sealed class CarelessRows(IConditionalStore inner, string from, string to) : IConditionalStore
{
    private const string None = "none";

    // What each version that was ever written says.
    private readonly Dictionary<ETag, string> _states = [];

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(key, cancellationToken);

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var state = StateOf(key, value.Span);
        var written = await inner.WriteAsync(key, value, await ComparedAsync(key, expected, state), cancellationToken);
        if (written.ETag is { } etag)
        {
            _states[etag] = state;
        }

        return written;
    }

    public async ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        await inner.DeleteAsync(key, await ComparedAsync(key, expected, None) ?? expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);

    /// <summary>The version to compare with: the present one, where the compare is switched off.</summary>
    private async ValueTask<ETag?> ComparedAsync(string key, ETag? expected, string state)
    {
        var known = expected is { } version ? _states.GetValueOrDefault(version, None) : None;
        return (known, state) == (from, to) ? (await inner.ReadAsync(key)).ETag : expected;
    }

    private static string StateOf(string key, ReadOnlySpan<byte> value) =>
        key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal) ? GsiEntry.Decode(value).State.ToString()
        : key.StartsWith(LeaseRow.Prefix, StringComparison.Ordinal) ? LeaseRow.Decode(value).IsFenced ? "fence" : "lease"
        : key == ClusterIncarnation.Key ? "incarnation"
        : "other";
}
