namespace Geo.Testing;

/// <summary>
/// Where all chance of a simulation comes from: one tape a purpose, so that what one part draws does not change what the others draw.
/// Every choice is a whole number below a bound, 0 is the mildest one (first ready, least delay, no fault), and all are recorded: a run can
/// be repeated from the record, also from one that was made shorter or milder.
/// </summary>
/// <remarks>Runs on the thread of its simulation only.</remarks>
public sealed class Choices
{
    private readonly Dictionary<string, ChoiceTape> _tapes = new(StringComparer.Ordinal);
    private readonly ChoiceRecord? _replay;

    /// <summary>Draws every choice from a seed.</summary>
    public Choices(SimulationSeed seed) => Seed = seed;

    /// <summary>Takes the choices of a record; past the end of a tape, and for purposes that the record lacks, each choice is 0.</summary>
    public Choices(ChoiceRecord replay)
    {
        ArgumentNullException.ThrowIfNull(replay);
        (Seed, _replay) = (replay.Seed, replay);
    }

    /// <summary>The seed: of the choices, and in a replay too of what is no choice, such as the ids that silos draw.</summary>
    public SimulationSeed Seed { get; }

    /// <summary>True where the choices of an earlier run are taken again.</summary>
    internal bool IsReplay => _replay is not null;

    /// <summary>The choices for one purpose; the same tape for the same name.</summary>
    public ChoiceTape Tape(string purpose)
    {
        ArgumentNullException.ThrowIfNull(purpose);
        if (!_tapes.TryGetValue(purpose, out var tape))
        {
            _tapes[purpose] = tape = _replay is null
                ? new ChoiceTape(purpose, Seed.Fork(purpose))
                : new ChoiceTape(purpose, _replay.Tapes.TryGetValue(purpose, out var recorded) ? recorded.Values : []);
        }

        return tape;
    }

    /// <summary>One choice, from 0 to below a bound.</summary>
    public int Next(int bound, string purpose) => Tape(purpose).Next(bound);

    /// <summary>What has been chosen so far.</summary>
    public ChoiceRecord Record() => new(
        Seed,
        _tapes.Values.OrderBy(s => s.Purpose, StringComparer.Ordinal)
            .ToDictionary(s => s.Purpose, s => s.Record(), StringComparer.Ordinal));
}
