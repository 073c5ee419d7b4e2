namespace Geo.Testing;

/// <summary>The only event of the grains of a <see cref="ViewSimulation"/>.</summary>
internal sealed record NoteAdded(int Update, NoteFlaw Flaw)
{
    /// <summary>Written with it.</summary>
    public int Seal => Flaw == NoteFlaw.Update ? throw new InvalidOperationException("This update cannot be written.") : 0;
}
