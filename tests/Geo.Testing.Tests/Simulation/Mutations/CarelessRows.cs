using Geo.Directory;

namespace Geo.Testing.Tests;

/// <summary>
/// A row store that does one compare-and-swap of the protocols without the compare: what a writer knew to be in one state is put into
/// another one, whatever it is by now.
/// </summary>
/// <param name="inner">The rows.</param>
/// <param name="from">The state that the writer has read.</param>
/// <param name="to">The state that it writes.</param>
/// <param name="maxHold">How long such a write waits for another one that overtakes it.</param>
/// <param name="compares">True to compare after all, so that the wait alone is new.</param>
internal sealed class CarelessRows(IConditionalStore inner, string from, string to, TimeSpan maxHold, bool compares)
    : IConditionalStore, IHeldWrites
{
    private const string None = "none";

    // What each version that was ever written says.
    private readonly Dictionary<ETag, string> _states = [];

    public TimeSpan MaxHold => maxHold;

    /// <summary>How many such writes another one has overtaken, the end of the row among them.</summary>
    public int Overtaken { get; private set; }

    /// <summary>Until the row is another one, and says what somebody relies on.</summary>
    public bool Holds(string key, ReadOnlySpan<byte> value, ETag? expected)
    {
        if (!IsOurs(expected, value.IsEmpty ? None : StateOf(key, value)))
        {
            return false;
        }

        var present = Present(key);
        return present == expected || StateOf(present) is None or "Requested" or "Loser";
    }

    public ValueTask<StoreRead> ReadAsync(string key, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(key, cancellationToken);

    public async ValueTask<StoreWrite> WriteAsync(
        string key, ReadOnlyMemory<byte> value, ETag? expected, CancellationToken cancellationToken = default)
    {
        var state = StateOf(key, value.Span);
        var written = await inner.WriteAsync(key, value, Compared(key, expected, state), cancellationToken);
        if (written.ETag is { } etag)
        {
            _states[etag] = state;
        }

        return written;
    }

    public ValueTask<StoreWrite> DeleteAsync(string key, ETag expected, CancellationToken cancellationToken = default) =>
        inner.DeleteAsync(key, Compared(key, expected, None) ?? expected, cancellationToken);

    public IAsyncEnumerable<StoreEntry> ListAsync(string prefix, CancellationToken cancellationToken = default) =>
        inner.ListAsync(prefix, cancellationToken);

    /// <summary>The version to compare with: the present one, where the compare is switched off.</summary>
    private ETag? Compared(string key, ETag? expected, string state)
    {
        if (!IsOurs(expected, state))
        {
            return expected;
        }

        var present = Present(key);
        Overtaken += present == expected ? 0 : 1;
        return compares ? expected : present;
    }

    private bool IsOurs(ETag? expected, string state) =>
        (StateOf(expected), state) == (from, to);

    private string StateOf(ETag? version) => version is { } etag ? _states.GetValueOrDefault(etag, None) : None;

    private ETag? Present(string key) => inner.ReadAsync(key).AsTask().GetAwaiter().GetResult().ETag;

    private static string StateOf(string key, ReadOnlySpan<byte> value) =>
        key.StartsWith(GlobalDirectory.RowPrefix, StringComparison.Ordinal) ? GsiEntry.Decode(value).State.ToString()
        : key.StartsWith(LeaseRow.Prefix, StringComparison.Ordinal) ? LeaseRow.Decode(value).IsFenced ? "fence" : "lease"
        : key == ClusterIncarnation.Key ? "incarnation"
        : "other";
}
