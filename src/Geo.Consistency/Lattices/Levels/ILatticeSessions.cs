namespace Geo.Consistency.Lattices;

/// <summary>Opens sessions over the coordination-free grains of this silo.</summary>
public interface ILatticeSessions
{
    /// <summary>Opens a session, or goes on with one.</summary>
    /// <param name="level">What it may rely on; the classes of the grains that it touches must have this level, or include it.</param>
    /// <param name="continues">What it has read and written elsewhere; null for a new session.</param>
    /// <param name="onMiss">
    /// What happens where that is not here yet: <see cref="SessionMiss.Wait"/>, the default, or <see cref="SessionMiss.Throw"/>. There is
    /// nobody to ask who would know more, so <see cref="SessionMiss.Forward"/> waits.
    /// </param>
    /// <param name="wait">How long is waited at most; 10 s when null.</param>
    ILatticeSession Open(
        ConsistencyLevel level, SessionToken? continues = null, SessionMiss onMiss = SessionMiss.Wait, TimeSpan? wait = null);
}
