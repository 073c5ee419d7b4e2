using System.Collections.Concurrent;

namespace Geo.Directory;

/// <summary>The grains that this silo owns by majority.</summary>
internal sealed class Tenancies
{
    private readonly ConcurrentDictionary<GrainKey, Tenancy> _tenancies = new();

    public int Count => _tenancies.Count;

    public Tenancy? Of(GrainKey key) => _tenancies.GetValueOrDefault(key);

    /// <summary>All of them, in an order that is the same in each run of a simulation.</summary>
    public IReadOnlyList<(GrainKey Key, Tenancy Tenancy)> ToArray() =>
        [.. _tenancies.Select(t => (t.Key, t.Value)).OrderBy(t => t.Key.ToString(), StringComparer.Ordinal)];

    /// <summary>Begins a tenancy, in place of the one that this silo had.</summary>
    public void Begin(GrainKey key, Tenancy tenancy) => _tenancies[key] = tenancy;

    /// <summary>Ends a tenancy, if it is the present one.</summary>
    public bool End(GrainKey key, Tenancy tenancy) => _tenancies.TryRemove(new(key, tenancy));

    /// <summary>Ends all tenancies under a lease, in an order that is the same in each run of a simulation.</summary>
    /// <returns>Their grains.</returns>
    public IReadOnlyList<GrainKey> EndAll(OwnLease.Held lease) =>
    [
        .. _tenancies.Where(t => t.Value.Lease == lease)
            .OrderBy(t => t.Key.ToString(), StringComparer.Ordinal)
            .Where(t => End(t.Key, t.Value))
            .Select(t => t.Key),
    ];

    /// <param name="Row">As it was written.</param>
    /// <param name="ETag">Its version.</param>
    /// <param name="Lease">The lease that it names.</param>
    internal sealed record Tenancy(OwnerRow Row, ETag ETag, OwnLease.Held Lease)
    {
        // Whether an instance may begin: yes, not while it is looked whether there is one, or never again.
        private const int Yes = 0, NotNow = 1, NeverAgain = 2;

        private int _mayBegin = Yes;

        /// <summary>True while no further instance begins under the tenancy: it is held back, or is being ended.</summary>
        public bool IsEnding => Volatile.Read(ref _mayBegin) != Yes;

        /// <summary>The cluster to which the row is released; none for whichever comes first.</summary>
        public ClusterId Heir { get; set; }

        /// <summary>The row when its instance has ended.</summary>
        public OwnerRow Released => Row with { IsReleased = true, Heir = Heir };

        /// <summary>The end of its instance while that is waited for, of which one pass after another asks.</summary>
        public Task? Ending { get; set; }

        /// <summary>True while an instance may begin under it.</summary>
        public bool MayBegin => !IsEnding && Lease.MayServe;

        /// <summary>The instance is being ended for the row to be released: for good.</summary>
        public void BeginToEnd() => Volatile.Write(ref _mayBegin, NeverAgain);

        /// <summary>Holds instances back while it is looked whether there is one; false where somebody does so, or ends it.</summary>
        public bool TryHoldBack() => Interlocked.CompareExchange(ref _mayBegin, NotNow, Yes) == Yes;

        /// <summary>Lets instances begin again, unless somebody has begun to end the tenancy meanwhile.</summary>
        public void LetBegin() => Interlocked.CompareExchange(ref _mayBegin, Yes, NotNow);

        public bool Equals(Tenancy? other) => ReferenceEquals(this, other);

        public override int GetHashCode() => ETag.GetHashCode();
    }
}
