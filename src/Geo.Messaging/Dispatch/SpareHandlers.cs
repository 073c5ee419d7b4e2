namespace Geo.Messaging;

/// <summary>Handlers' calls of a lane that have ended, kept for those to come. To be used under its owner's lock.</summary>
internal sealed class SpareHandlers
{
    // As many as wait at most when messages are small; what a lane keeps that has little to do; and what its receive loop takes at once.
    private const int Most = 4096;
    private const int MostIdle = 512;
    private const int AtOnce = 64;

    private readonly Stack<RunningHandler> _spare = new();

    public void Add(RunningHandler ended)
    {
        if (_spare.Count < Most)
        {
            _spare.Push(ended);
        }
    }

    /// <summary>Moves some to where the receive loop takes them without the lock.</summary>
    public void MoveTo(Stack<RunningHandler> atHand)
    {
        while (atHand.Count < AtOnce && _spare.TryPop(out var spare))
        {
            atHand.Push(spare);
        }
    }

    /// <summary>Keeps no more than a lane needs that has just started so many.</summary>
    public void Trim(int started)
    {
        while (_spare.Count > Math.Max(MostIdle, started))
        {
            _spare.Pop();
        }
    }
}
