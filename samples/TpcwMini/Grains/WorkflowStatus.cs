namespace TpcwMini.Grains;

/// <summary>How far a cart's workflow has come.</summary>
internal enum WorkflowStatus
{
    None,
    Created,
    Filled,
    Reserved,
    Completed,
    Aborted,
}
