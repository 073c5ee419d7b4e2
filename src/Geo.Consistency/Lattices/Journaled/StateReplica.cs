using System.Runtime.CompilerServices;

namespace Geo.Consistency.Lattices;

/// <inheritdoc/>
internal sealed class StateReplica<T>(LatticeHandle<T> handle) : IStateReplica
    where T : ILattice<T>
{
    public Task ConfirmAsync(int clusters, CancellationToken cancellationToken) => handle.ConfirmAsync(clusters, cancellationToken);

    public Task PullAsync(CancellationToken cancellationToken) => handle.PullAsync(cancellationToken);

    public async IAsyncEnumerable<object> ChangesAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (var state in handle.ChangesAsync(cancellationToken))
        {
            yield return state;
        }
    }

    public void Dispose() => handle.Dispose();
}
