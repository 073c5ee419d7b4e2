namespace Geo.Consistency.Lattices;

/// <summary>A grain's replica, whatever its lattice.</summary>
internal interface IStateReplica : IDisposable
{
    /// <inheritdoc cref="LatticeHandle{T}.ConfirmAsync"/>
    Task ConfirmAsync(int clusters, CancellationToken cancellationToken);

    /// <inheritdoc cref="LatticeHandle{T}.PullAsync"/>
    Task PullAsync(CancellationToken cancellationToken);

    /// <summary>The state after each change, at first the present one.</summary>
    IAsyncEnumerable<object> ChangesAsync(CancellationToken cancellationToken);
}
