namespace Geo.Storage.Quorum;

/// <summary>One question to acceptors, until enough have answered or it is closed.</summary>
/// <param name="asked">Whom.</param>
/// <param name="majority">How many of them decide.</param>
/// <param name="isEnough">True for answers that are waited for no longer.</param>
internal sealed class Question(List<ClusterId> asked, int majority, Func<Answers, bool> isEnough)
{
    private readonly Lock _gate = new();
    private readonly Answers _answers = new(asked.Count, majority);
    private readonly List<ClusterId> _outstanding = [.. asked];
    private readonly TaskCompletionSource _enough = new();
    private readonly TaskCompletionSource _refused = new();
    private bool _closed;

    public Task Enough => _enough.Task;

    /// <summary>Ends when one has refused.</summary>
    public Task Refused => _refused.Task;

    /// <summary>Who has not answered yet.</summary>
    public IReadOnlyList<ClusterId> Outstanding
    {
        get
        {
            lock (_gate)
            {
                return [.. _outstanding];
            }
        }
    }

    public async Task TakeAsync(ClusterId acceptor, Task<QuorumReply?> asked)
    {
        var reply = await asked;
        bool enough;
        lock (_gate)
        {
            if (_closed)
            {
                return;
            }

            _outstanding.Remove(acceptor);
            _answers.Take(reply);
            enough = _answers.IsComplete || isEnough(_answers);
        }

        if (enough)
        {
            _enough.TrySetResult();
        }
        else if (reply is RefusedReply)
        {
            _refused.TrySetResult();
        }
    }

    public Answers Close()
    {
        lock (_gate)
        {
            _closed = true;
            return _answers;
        }
    }
}
