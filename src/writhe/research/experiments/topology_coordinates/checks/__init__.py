"""What the scenes are judged by: geometry that a viewer sees, holds, crossings of bones."""
