namespace Geo.Testing;

/// <summary>The state of the grains of a <see cref="ViewSimulation"/>: the updates in the order in which they took effect.</summary>
internal sealed class NotesLog
{
    private bool _isFlawed;

    public List<int> Updates { get; set; } = [];

    /// <summary>Written with it.</summary>
    public int Seal => _isFlawed ? throw new InvalidOperationException("This state cannot be written.") : 0;

    public void Apply(NoteAdded added)
    {
        Updates.Add(added.Update);
        _isFlawed |= added.Flaw == NoteFlaw.State;
    }
}
