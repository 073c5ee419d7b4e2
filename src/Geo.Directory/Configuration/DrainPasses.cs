namespace Geo.Directory;

/// <summary>
/// Runs the passes of a drain, one at a time, beside the looks at the configuration: a pass lasts as long as instances take to end, and the
/// silo has to follow later versions meanwhile.
/// </summary>
/// <param name="drain">One pass.</param>
/// <param name="drained">Called when a pass has found nothing.</param>
internal sealed class DrainPasses(Func<CancellationToken, Task<DrainPass>> drain, Action drained)
{
    private Task<DrainPass> _running = Task.FromResult<DrainPass>(default);
    private (long Version, DrainPass Pass) _last;
    private long _counts;

    /// <summary>The last pass that counts for a version. Begins the next one unless one runs, or that one has found nothing.</summary>
    /// <param name="version">The version.</param>
    /// <param name="areAll">
    /// True when all silos of the cluster have processed it: what a pass that begins earlier finds may become more.
    /// </param>
    /// <param name="cancellationToken">Ends the pass.</param>
    /// <returns>Held is null where there was none yet.</returns>
    public DrainPass Next(long version, bool areAll, CancellationToken cancellationToken)
    {
        Collect();
        if (_running.IsCompleted && !(_last.Version == version && _last.Pass.Held == 0))
        {
            _counts = areAll ? version : 0;
            _running = RunAsync(cancellationToken);
            Collect();
        }

        return _last.Version == version ? _last.Pass : new(null, _last.Pass.Why);
    }

    /// <summary>Waits for the pass that runs.</summary>
    public Task EndAsync() => Patience.EndAsync(_running);

    private void Collect()
    {
        if (_running.IsCompletedSuccessfully && _counts != 0)
        {
            (_last, _counts) = ((_counts, _running.Result), 0);
        }
    }

    private async Task<DrainPass> RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            var pass = await drain(cancellationToken);
            if (pass.Held == 0)
            {
                drained();
            }

            return pass;
        }
        catch (Exception e) when (e is not OperationCanceledException || !cancellationToken.IsCancellationRequested)
        {
            // The next pass tries it again; meanwhile whoever waits for the drain is told.
            return new(null, e.Message);
        }
    }
}
