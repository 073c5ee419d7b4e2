namespace Geo.Consistency;

/// <summary>The wait for an answer to a hand-in: it ends, too, when a notification shows that the updates are in.</summary>
internal sealed record HandInWait(long Through, CancellationTokenSource Limit)
{
    internal void Look(long resolvedThrough)
    {
        if (resolvedThrough >= Through)
        {
            Limit.Cancel();
        }
    }
}
