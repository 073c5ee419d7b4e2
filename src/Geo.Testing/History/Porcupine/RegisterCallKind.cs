namespace Geo.Testing;

/// <summary>What is asked of a register of text.</summary>
public enum RegisterCallKind
{
    /// <summary>Gives the text.</summary>
    Read,

    /// <summary>Puts a text in its place.</summary>
    Write,

    /// <summary>Puts a text behind it.</summary>
    Append,

    /// <summary>Puts a text in its place where it is the one expected, and gives <c>ok</c> or <c>fail</c>.</summary>
    CompareAndSwap,
}
